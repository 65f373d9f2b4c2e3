(** What actions do to memory, with and without sharing, and why sharing does not show.

    Each actor is a process: in each turn it reads a byte, writes a byte, or does neither, as it likes.  What it does
    next depends on all values read so far, its own and those of the others ([world]: registers, scalars, whatever
    there is beside the buffers).
     So turns of unordered actions mix in any way, an action may read and write one buffer in any
    order, it may write some bytes and leave others as they are, and which ones may depend on the data. *)
Require Import List NArith Bool Lia.
Import ListNotations.
Open Scope N_scope.

Section Machine.
Variables (actor value world : Type).

(** A turn: read byte [k] of buffer [b], write it, or neither; and how the world goes on. *)
Inductive turn :=
  | Load (b k : N) (next : value -> world)
  | Store (b k : N) (v : value) (next : world)
  | Silent (next : world).

Variable sem : actor -> world -> turn.

(** Where the plan puts a buffer: the pool (or slot) and the byte offset in it.  An address is a pool and an offset. *)
Definition address := (N * N)%type.
Variable place : N -> address.
Definition byte (b k : N) : address := (fst (place b), snd (place b) + k).
Definition same (x y : address) : bool := (fst x =? fst y) && (snd x =? snd y).

(** Without sharing each buffer has memory of its own.  [defined]: was the byte given or written?  (What memory happens
    to hold before is nobody's value.) *)
Record apart := Apart { own : N -> N -> value; defined : N -> N -> bool; here : world }.
(** With sharing there is one memory, of addresses. *)
Record shared := Shared { at_address : address -> value; there : world }.

Definition apart_turn (m : apart) (i : actor) : apart :=
  match sem i (here m) with
  | Load b k next => Apart (own m) (defined m) (next (own m b k))
  | Store b k v next =>
      let hit c l := (c =? b) && (l =? k) in
      Apart (fun c l => if hit c l then v else own m c l) (fun c l => hit c l || defined m c l) next
  | Silent next => Apart (own m) (defined m) next
  end.

Definition shared_turn (m : shared) (i : actor) : shared :=
  match sem i (there m) with
  | Load b k next => Shared (at_address m) (next (at_address m (byte b k)))
  | Store b k v next => Shared (fun x => if same x (byte b k) then v else at_address m x) next
  | Silent next => Shared (at_address m) next
  end.

Definition run_apart (m : apart) (t : list actor) : apart := fold_left apart_turn t m.
Definition run_shared (m : shared) (t : list actor) : shared := fold_left shared_turn t m.

(** ** The program: sizes, who touches what, in which order *)

Variable size : N -> N.
Variable external : N -> bool.
Variable touches : actor -> N -> Prop.
Variable hb : actor -> actor -> Prop.

Definition before (a b : N) : Prop := forall i j, touches i a -> touches j b -> hb i j.

(** The actors stay inside the buffers that they touch. *)
Definition stays_inside : Prop := forall i w,
  match sem i w with
  | Load b k _ | Store b k _ _ => touches i b /\ k < size b
  | Silent _ => True
  end.

(** A byte of the one is a byte of the other. *)
Definition overlap (a b : N) : Prop := exists k l, k < size a /\ l < size b /\ byte a k = byte b l.

(** The rule: buffers in common bytes come from inside, and one of them is before the other. *)
Definition safe_layout : Prop := forall a b, a <> b -> overlap a b ->
  external a = false /\ external b = false /\ (before a b \/ before b a).

(** The order of turns keeps happens-before. *)
Definition respects (t : list actor) : Prop :=
  forall i j, hb i j -> forall t1 t2, t = t1 ++ j :: t2 -> ~ In i t2.

(** At the start both memories hold the same in what comes from outside, and the worlds are the same.  All else differs
    at will. *)
Definition same_start (u : apart) (m : shared) : Prop :=
  here u = there m /\
  forall b k, defined u b k = true ->
    external b = true /\ (k < size b -> at_address m (byte b k) = own u b k).

(** Without sharing, nobody reads a byte that was neither given nor written. *)
Definition reads_defined (u : apart) (t : list actor) : Prop :=
  forall t1 i t2, t = t1 ++ i :: t2 ->
  match sem i (here (run_apart u t1)) with
  | Load b k _ => defined (run_apart u t1) b k = true
  | _ => True
  end.

(** ** The theorem *)

Hypothesis inside : stays_inside.
Hypothesis safe : safe_layout.
Variable t : list actor.
Hypothesis kept : respects t.

(** The buffer still holds its value: nothing that is behind it in common bytes was touched. *)
Definition fresh (t1 : list actor) (b : N) : Prop :=
  forall c, c <> b -> overlap b c -> before b c -> forall i, In i t1 -> ~ touches i c.

Lemma same_eq x y : same x y = true <-> x = y.
Proof.
  destruct x, y. unfold same. simpl. rewrite andb_true_iff, !N.eqb_eq.
  split; [intros []|intros E; inversion E]; subst; auto.
Qed.

(** Whoever touches [b] finds it fresh: what is behind [b] comes later. *)
Lemma toucher_fresh t1 i t2 b : t = t1 ++ i :: t2 -> touches i b -> fresh t1 b.
Proof.
  intros E T c _ _ B j J C. destruct (in_split _ _ J) as (l & r & ->).
  eapply (kept i j (B i j T C) l (r ++ i :: t2)).
  - rewrite E, <- app_assoc. reflexivity.
  - apply in_or_app. right. now left.
Qed.

Lemma fresh_earlier t1 i b : fresh (t1 ++ [i]) b -> fresh t1 b.
Proof. intros F c N O B j J. apply (F c N O B). apply in_or_app. now left. Qed.

(** What is written was given from outside, or somebody had a turn at it. *)
Definition defined_by (u : apart) (t1 : list actor) : Prop :=
  forall b k, defined u b k = true -> external b = false -> exists i, In i t1 /\ touches i b.

Lemma defined_by_turn u t1 i : defined_by u t1 -> defined_by (apart_turn u i) (t1 ++ [i]).
Proof.
  intros D b k H X. pose proof (inside i (here u)) as I.
  assert (Old : defined u b k = true -> exists j, In j (t1 ++ [i]) /\ touches j b).
  { intros H'. destruct (D b k H' X) as (j & J & T). exists j. split; auto. apply in_or_app. now left. }
  unfold apart_turn in H. destruct (sem i (here u)) as [c l f|c l v f|f]; simpl in H; auto.
  apply orb_true_iff in H as [H|H]; auto. apply andb_true_iff in H as [E _]. apply N.eqb_eq in E. subst c.
  exists i. split; [apply in_or_app; right; now left|tauto].
Qed.

(** Both runs are in step: equal worlds, and a fresh buffer has in memory what it has apart. *)
Record in_step (u : apart) (m : shared) (t1 : list actor) : Prop := {
  worlds : here u = there m;
  written : defined_by u t1;
  agree : forall b k, k < size b -> defined u b k = true -> fresh t1 b -> at_address m (byte b k) = own u b k
}.

(** A write to [b] changes no byte that a fresh buffer has defined. *)
Lemma store_elsewhere u m t1 i t2 b k c l : t = t1 ++ i :: t2 -> in_step u m t1 -> touches i b -> k < size b ->
  c <> b -> l < size c -> defined u c l = true -> fresh (t1 ++ [i]) c -> byte c l <> byte b k.
Proof.
  intros E S T K N L D F A.
  assert (O : overlap c b) by (exists l, k; auto).
  destruct (safe c b N O) as (X & _ & [B|B]).
  - apply (F b (not_eq_sym N) O B i); auto. apply in_or_app. right. now left.
  - destruct (written _ _ _ S c l D X) as (j & J & Tj). destruct (in_split _ _ J) as (x & y & ->).
    apply (kept i j (B i j T Tj) x (y ++ i :: t2)); [rewrite E, <- app_assoc; reflexivity|].
    apply in_or_app. right. now left.
Qed.

Lemma in_step_turn u m t1 i t2 : t = t1 ++ i :: t2 -> in_step u m t1 ->
  match sem i (here u) with Load b k _ => defined u b k = true | _ => True end ->
  in_step (apart_turn u i) (shared_turn m i) (t1 ++ [i]).
Proof.
  intros E S R. pose proof (inside i (here u)) as I.
  split; [| apply defined_by_turn, S |].
  - unfold apart_turn, shared_turn. rewrite <- (worlds _ _ _ S).
    destruct (sem i (here u)) as [b k f|b k v f|f]; simpl; auto.
    destruct I as [T K]. f_equal. symmetry. apply (agree _ _ _ S); auto. eapply toucher_fresh; eauto.
  - intros c l L D F. unfold apart_turn, shared_turn in *. rewrite <- (worlds _ _ _ S).
    destruct (sem i (here u)) as [b k f|b k v f|f]; simpl in *;
      try (apply (agree _ _ _ S); auto; eapply fresh_earlier; eauto; fail).
    destruct I as [T K]. destruct (N.eq_dec c b) as [->|N].
    + rewrite N.eqb_refl in *. simpl in *. destruct (N.eq_dec l k) as [->|N].
      * rewrite N.eqb_refl. now rewrite (proj2 (same_eq _ _) eq_refl).
      * rewrite (proj2 (N.eqb_neq l k) N) in *. simpl in D.
        destruct (same (byte b l) (byte b k)) eqn:A.
        -- apply same_eq in A. unfold byte in A. injection A as A. lia.
        -- apply (agree _ _ _ S); auto. eapply fresh_earlier; eauto.
    + rewrite (proj2 (N.eqb_neq c b) N) in *. simpl in *.
      destruct (same (byte c l) (byte b k)) eqn:A.
      * apply same_eq in A. exfalso. eapply store_elsewhere; eauto.
      * apply (agree _ _ _ S); auto. eapply fresh_earlier; eauto.
Qed.

Lemma runs_in_step u m : same_start u m -> reads_defined u t ->
  forall t1 t2, t = t1 ++ t2 -> in_step (run_apart u t1) (run_shared m t1) t1.
Proof.
  intros (W & A) R t1. induction t1 as [|i t1 IH] using rev_ind; intros t2 E.
  - split; simpl; auto; intros b k.
    + intros D X. destruct (A b k D) as (X' & _). congruence.
    + intros K D _. apply A; auto.
  - rewrite <- app_assoc in E. unfold run_apart, run_shared. rewrite !fold_left_app. simpl.
    apply (in_step_turn _ _ t1 i t2 E); [exact (IH _ E)|]. exact (R t1 i t2 E).
Qed.

(** At every moment the worlds are equal: whatever was computed so far is what it is without sharing.  The next read
    returns what it returns without sharing.  And buffers that nothing is behind hold what they hold without sharing. *)
Theorem sharing_does_not_show u m : same_start u m -> reads_defined u t ->
  forall t1 t2, t = t1 ++ t2 ->
  here (run_apart u t1) = there (run_shared m t1) /\
  (forall i t3 b k next, t2 = i :: t3 -> sem i (here (run_apart u t1)) = Load b k next ->
     at_address (run_shared m t1) (byte b k) = own (run_apart u t1) b k) /\
  (forall b k, (forall c i, before b c -> ~ touches i c) -> k < size b -> defined (run_apart u t1) b k = true ->
     at_address (run_shared m t1) (byte b k) = own (run_apart u t1) b k).
Proof.
  intros A R t1 t2 E. pose proof (runs_in_step u m A R t1 t2 E) as S. repeat split.
  - apply S.
  - intros i t3 b k next E2 L. subst t2. pose proof (R t1 i t3 E) as D.
    pose proof (inside i (here (run_apart u t1))) as I.
    rewrite L in D, I. destruct I as [T K]. apply (agree _ _ _ S); auto. eapply toucher_fresh; eauto.
  - intros b k Last K D. apply (agree _ _ _ S); auto. intros c _ _ B i _. apply Last. exact B.
Qed.
End Machine.
