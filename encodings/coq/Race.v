(** The theorems are not empty: the race of encodings/lemmas/exclusion_needed.smt2, played on the machine.

        produce (device, writes a), consume (device, reads a), store (host, writes b)

    The lives of a and b are disjoint in program order, so the greedy pass puts both into one slot.  The checker refuses
    that plan, and rightly: sharing shows.  With the host waiting for the queue before it stores, it is accepted. *)
Require Import List Arith NArith Bool Lia.
Require Import Model Machine Order Lives Safety Slots.
Import ListNotations.
Open Scope N_scope.

Definition whole (b : N) : access := {| buf := b; lo := 0; hi := None |}.
Definition local : buffer :=
  {| size := Bytes 1; alignment := 1; space := 0; external := false; live_out := false; pinned := false |}.

Definition race (store_waits : list N) : program := {|
  buffers := [local; local];
  actions := [
    {| ordinal := 0; on := Queue 0; reads := []; writes := [whole 0]; waits := [] |};
    {| ordinal := 1; on := Queue 0; reads := [whole 0]; writes := []; waits := [] |};
    {| ordinal := 2; on := Host; reads := []; writes := [whole 1]; waits := store_waits |}]
|}.

Definition shared_slot : slots := [{| room := Some 1; slot_alignment := 1; slot_space := 0; members := [0; 1] |}].

Example refused : check_slots (race []) shared_slot = false.
Proof. reflexivity. Qed.

Example accepted_behind_a_wait : check_slots (race [0]) shared_slot = true.
Proof. reflexivity. Qed.

(** The store lands between produce and consume. *)
Definition unlucky : list event :=
  let p := Act 0 in let c := Act 1 in let h := Act 2 in
  [Issue p; Issue c; Start p; Touch p; Finish p; Start h; Touch h; Finish h; Start c; Touch c; Finish c].

(** Produce writes 7, store writes 9, consume reads. *)
Definition semantics (i : actor) (w : N) : turn N N :=
  match i with
  | Act O => Store _ _ 0 0 7 w
  | Act (S O) => Load _ _ 0 0 (fun v => v)
  | Act (S (S O)) => Store _ _ 1 0 9 w
  | _ => Silent _ _ w
  end.

Definition event_eq_dec (e f : event) : {e = f} + {e <> f}.
Proof. repeat decide equality. Defined.

(** [ordered], decided. *)
Fixpoint ordered_in (past s : list event) (e f : event) : bool :=
  match s with
  | [] => true
  | g :: more =>
      (if event_eq_dec g f then existsb (fun x => if event_eq_dec x e then true else false) past else true) &&
      ordered_in (past ++ [g]) more e f
  end.

Lemma ordered_in_sound s : forall past e f, ordered_in past s e f = true ->
  forall s1 s2, s = s1 ++ f :: s2 -> In e (past ++ s1).
Proof.
  induction s as [|g s IH]; simpl; intros past e f H s1 s2 E; [destruct s1; discriminate|].
  apply andb_true_iff in H as [H T]. destruct s1 as [|h s1]; simpl in E; injection E as -> E.
  - destruct (event_eq_dec f f); [|congruence]. rewrite app_nil_r. apply existsb_exists in H as (x & I & X).
    destruct (event_eq_dec x e); [now subst|discriminate].
  - specialize (IH _ _ _ T s1 s2 E). now rewrite <- app_assoc in IH.
Qed.

Lemma ordered_by_looking s e f : ordered_in [] s e f = true -> ordered s e f.
Proof. intros H s1 s2 E. exact (ordered_in_sound s [] e f H s1 s2 E). Qed.

(** An event that is not in the schedule is ordered behind anything. *)
Lemma ordered_absent s e f : ~ In f s -> ordered s e f.
Proof. intros N s1 s2 E. exfalso. apply N. rewrite E. apply in_or_app. right. now left. Qed.

(** No event [g] after an event [f], decided. *)
Fixpoint never_after (s : list event) (f g : event) : bool :=
  match s with
  | [] => true
  | x :: more =>
      (if event_eq_dec x f then negb (existsb (fun y => if event_eq_dec y g then true else false) more) else true) &&
      never_after more f g
  end.

Lemma never_after_sound s f g : never_after s f g = true -> forall s1 s2, s = s1 ++ f :: s2 -> ~ In g s2.
Proof.
  induction s as [|x s IH]; simpl; intros H s1 s2 E I; [destruct s1; discriminate|].
  apply andb_true_iff in H as [H T]. destruct s1 as [|y s1]; simpl in E; injection E as -> E.
  - destruct (event_eq_dec f f); [|congruence]. rewrite E in H. apply negb_true_iff in H.
    rewrite <- not_true_iff_false, existsb_exists in H. apply H. exists g. split; auto.
    destruct (event_eq_dec g g); congruence.
  - exact (IH T s1 s2 E I).
Qed.

Ltac which i E := unfold is in E; destruct i as [|[|[|[|]]]]; simpl in E; try discriminate; injection E as <-.
Ltac look := apply ordered_by_looking; vm_compute; reflexivity.

Lemma unlucky_is_a_schedule : schedule (race []) unlucky.
Proof.
  split.
  - intros i a j b A B L. which i A; which j B; simpl in L; try lia; look.
  - intros i a q A Q. which i A; try discriminate; look.
  - intros [[|[|[|n]]]|b]; try look; apply ordered_absent; simpl; intuition discriminate.
  - intros i. split.
    + destruct i as [[|[|[|n]]]|b]; try look; apply ordered_absent; simpl; intuition discriminate.
    + destruct i as [[|[|[|n]]]|b]; try (apply never_after_sound; vm_compute; reflexivity);
        intros s1 s2 E; exfalso; assert (I : In (Finish _) unlucky) by (rewrite E; apply in_or_app; right; now left);
        simpl in I; intuition discriminate.
  - intros i a j b q A B L Qa Qb. which i A; which j B; simpl in *; try lia; try discriminate; look.
  - intros i a j b q A B L Qa Hb W. which i A; which j B; simpl in *; try lia; try discriminate; tauto.
  - intros i a b A H. apply ordered_absent. simpl. intuition discriminate.
  - intros i a b A U. apply ordered_absent. simpl. intuition discriminate.
Qed.

Lemma semantics_obeys : obeys (race []) (fun _ => 0) semantics.
Proof.
  intros [[|[|[|n]]]|b] w; simpl; auto; (split; [|unfold size_of; simpl; lia]);
    (eexists; eexists; split; [reflexivity|]; split; [simpl; auto|]; unfold covers; simpl; lia).
Qed.

(** Sharing shows: consume reads 9, where it reads 7 without sharing. *)
Theorem greedy_plan_is_unsafe : ~ sharing_unseen (race []) (fun _ => 0) (place_of shared_slot).
Proof.
  intros U.
  set (u := {| own := fun _ _ => 0; defined := fun _ _ => false; here := 0 |} : apart N N).
  set (m := {| at_address := fun _ => 0; there := 0 |} : shared N N).
  destruct (U unlucky unlucky_is_a_schedule N N semantics semantics_obeys u m) with (s1 := unlucky) (s2 := @nil event)
    as [W _].
  - split; [reflexivity|]. discriminate.
  - intros t1 i t2 E. destruct t1 as [|j1 [|j2 [|j3 [|j4 t1]]]]; simpl in E.
    + injection E as <- _. exact I.
    + injection E as <- <- _. exact I.
    + injection E as <- <- <- _. reflexivity.
    + discriminate.
    + destruct t1; discriminate.
  - now rewrite app_nil_r.
  - vm_compute in W. discriminate.
Qed.
