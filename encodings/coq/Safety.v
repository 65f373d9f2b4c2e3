(** What it means that sharing does not show, and what a checker has to find out for it.

    Here programs (Model.v), schedules (Order.v) and the machine (Machine.v) meet. *)
Require Import List NArith Bool Lia.
Require Import Model Machine Order Lives.
Import ListNotations.
Open Scope N_scope.

Section Safety.
Variable P : program.
Variable run_time : N -> N.
Variable place : N -> address.

(** Whatever the ops compute, they keep to the accesses that the program declares, and inside the buffers. *)
Definition obeys {value world} (sem : actor -> world -> turn value world) : Prop := forall i w,
  match sem i w with
  | Load _ _ b k _ => may_access reads P i b k /\ k < size_of P run_time b
  | Store _ _ b k _ _ => may_access writes P i b k /\ k < size_of P run_time b
  | Silent _ _ _ => True
  end.

(** Sharing by this placement does not show: for every schedule, whatever the ops compute (any function of what they
    read), and whatever the memories hold at the start (the same in what comes from outside), at every moment

    - all values computed so far are what they are without sharing;
    - the next read returns what it returns without sharing;
    - what the caller has at the end (live out, external) holds what it holds without sharing.

    Assumed of the program, not of the plan: without sharing, nobody reads a byte that was neither given nor written. *)
Definition sharing_unseen : Prop :=
  forall s, schedule P s ->
  forall (value world : Type) (sem : actor -> world -> turn value world), obeys sem ->
  forall (u : apart value world) (m : shared value world),
  same_start value world place (size_of P run_time) (is_external P) u m ->
  reads_defined actor value world sem u (turns s) ->
  forall s1 s2, s = s1 ++ s2 ->
  let apart_now := run_apart _ _ _ sem u (turns s1) in
  let shared_now := run_shared _ _ _ sem place m (turns s1) in
  here _ _ apart_now = there _ _ shared_now /\
  (forall i s3 b k next, s2 = Touch i :: s3 -> sem i (here _ _ apart_now) = Load _ _ b k next ->
     at_address _ _ shared_now (byte place b k) = own _ _ apart_now b k) /\
  (forall b k, handed_over P b = true -> k < size_of P run_time b -> defined _ _ apart_now b k = true ->
     at_address _ _ shared_now (byte place b k) = own _ _ apart_now b k).

(** What a checker has to find out: any two buffers with a byte in common come from inside, and the one is before the
    other. *)
Definition shares_in_order : Prop := forall a b, a <> b -> overlap place (size_of P run_time) a b ->
  is_external P a = false /\ is_external P b = false /\ (before P a b \/ before P b a).

Lemma obeys_inside value world (sem : actor -> world -> turn value world) : obeys sem ->
  stays_inside actor value world sem (size_of P run_time) (touches P).
Proof.
  intros O i w. specialize (O i w). destruct (sem i w); auto; destruct O as [A K]; split; auto;
    eapply may_access_touches; eauto.
Qed.

Lemma turns_app s1 s2 : turns (s1 ++ s2) = turns s1 ++ turns s2.
Proof. apply flat_map_app. Qed.

Theorem in_order_unseen : shares_in_order -> sharing_unseen.
Proof.
  intros L s S value world sem O u m A R s1 s2 E.
  assert (E' : turns s = turns s1 ++ turns s2) by (rewrite E; apply turns_app).
  destruct (sharing_does_not_show actor value world sem place (size_of P run_time) (is_external P) (touches P) (hb P)
    (obeys_inside _ _ _ O) L (turns s) (turns_respect P s S) u m A R (turns s1) (turns s2) E') as (W & N & F).
  split; [exact W|]. split.
  - intros i s3 b k next -> H. exact (N i (turns s3) b k next eq_refl H).
  - intros b k H K D. apply F; auto. intros c i B T. exact (B (Caller b) i (conj eq_refl H) T).
Qed.
End Safety.

(** ** Words that checkers share *)

(** All buffers of a program, by number. *)
Definition numbers (P : program) : list N := map N.of_nat (seq 0 (length (buffers P))).

(** A relation between any two of a list, the earlier one first. *)
Fixpoint all_pairs {A} (r : A -> A -> bool) (l : list A) : bool :=
  match l with [] => true | x :: more => forallb (r x) more && all_pairs r more end.

Definition member (x : N) (l : list N) : bool := existsb (N.eqb x) l.
Definition distinct : list N -> bool := all_pairs (fun a b => negb (a =? b)).

Definition power_of_two (n : N) : bool := negb (n =? 0) && (N.land n (n - 1) =? 0).
Definition divides (d n : N) : bool := negb (d =? 0) && (n mod d =? 0).

(** Either of the two is over before the other begins. *)
Definition in_order (a b : life) : bool := life_before a b || life_before b a.

Lemma all_pairs_In {A B} (r : B -> B -> bool) (f : A -> B) l a b :
  all_pairs r (map f l) = true -> In a l -> In b l -> a <> b -> r (f a) (f b) = true \/ r (f b) (f a) = true.
Proof.
  induction l as [|x l IH]; simpl; [tauto|]. rewrite andb_true_iff, forallb_forall. intros [H T] [->|I] [->|J] N.
  - congruence.
  - left. apply H. now apply in_map.
  - right. apply H. now apply in_map.
  - auto.
Qed.

Lemma member_In x l : member x l = true <-> In x l.
Proof.
  unfold member. rewrite existsb_exists. split; [intros (y & I & E); apply N.eqb_eq in E; now subst|].
  intros I. exists x. split; auto. apply N.eqb_refl.
Qed.

Lemma distinct_NoDup l : distinct l = true -> NoDup l.
Proof.
  unfold distinct. induction l as [|x l IH]; simpl; [constructor|]. rewrite andb_true_iff, forallb_forall.
  intros [H T]. constructor; auto. intros I. specialize (H x I). now rewrite N.eqb_refl in H.
Qed.

Lemma divides_spec d n : divides d n = true -> d <> 0 /\ N.divide d n.
Proof.
  unfold divides. rewrite andb_true_iff, negb_true_iff, N.eqb_neq, N.eqb_eq. intros [Z M]. split; auto.
  now apply N.mod_divide.
Qed.

Lemma in_order_sound P a b : in_order (life_of P (waiting P) a) (life_of P (waiting P) b) = true ->
  before P a b \/ before P b a.
Proof. unfold in_order. rewrite orb_true_iff. intros [H|H]; [left|right]; now apply life_before_sound. Qed.

Lemma numbers_In P b : In b (numbers P) <-> buffer_of P b <> None.
Proof.
  unfold numbers, buffer_of. rewrite nth_nth_error, nth_error_Some, in_map_iff. split.
  - intros (n & <- & I). apply in_seq in I. rewrite Nnat.Nat2N.id. lia.
  - intros L. exists (N.to_nat b). rewrite Nnat.N2Nat.id, in_seq. split; auto. lia.
Qed.
