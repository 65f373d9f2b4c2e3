(** Schedules and happens-before: encodings/order.smt2, smtalloc/order.py.

    An action of a device queue is issued by the host, starts, touches memory any number of times, and finishes.  An
    action of the host starts, touches and finishes.  (order.smt2 has one event for it; that is the special case in
    which nothing comes between.  What holds for all schedules here holds for those.)

        host    issue D . . store            the store may land before D has started
        queue             [---- D ----]                                                                              *)
Require Import List NArith Bool Lia.
Require Import Model.
Import ListNotations.
Open Scope N_scope.

Inductive event := Issue (i : actor) | Start (i : actor) | Touch (i : actor) | Finish (i : actor).

(** A schedule is a list of events, earliest first; it may stop anywhere.  [ordered s e f]: wherever [f] happens, [e]
    has happened before. *)
Definition ordered (s : list event) (e f : event) : Prop := forall s1 s2, s = s1 ++ f :: s2 -> In e s1.

Section Schedules.
Variable P : program.

(** [is i a]: actor [i] is the action [a]. *)
Definition is (i : nat) (a : action) : Prop := nth_error (actions P) i = Some a.

(** The last event of an action, and the first, that the host has part in. *)
Definition leaves (i : nat) (a : action) : event :=
  match on a with Host => Finish (Act i) | Queue _ => Issue (Act i) end.
Definition reaches (i : nat) (a : action) : event :=
  match on a with Host => Start (Act i) | Queue _ => Issue (Act i) end.

(** The axioms of order.smt2, by their names there, and what is assumed of the caller.  Nothing says that an action
    happens only once, nor that it happens: more schedules, a stronger theorem. *)
Record schedule (s : list event) : Prop := {
  host_program_order : forall i a j b, is i a -> is j b -> ordinal a < ordinal b ->
    ordered s (leaves i a) (reaches j b);
  issued_before_start : forall i a q, is i a -> on a = Queue q -> ordered s (Issue (Act i)) (Start (Act i));
  takes_time : forall i, ordered s (Start i) (Finish i);
  touches_inside : forall i, ordered s (Start i) (Touch i) /\
    forall s1 s2, s = s1 ++ Finish i :: s2 -> ~ In (Touch i) s2;
  in_order_queue : forall i a j b q, is i a -> is j b -> ordinal a < ordinal b -> on a = Queue q -> on b = Queue q ->
    ordered s (Finish (Act i)) (Start (Act j));
  host_waits : forall i a j b q, is i a -> is j b -> ordinal a < ordinal b -> on a = Queue q -> on b = Host ->
    In q (waits b) -> ordered s (Finish (Act i)) (Start (Act j));
  (** The caller runs when the host has left the function ... *)
  caller_behind_host : forall i a b, is i a -> on a = Host -> ordered s (Finish (Act i)) (Start (Caller b));
  (** ... and touches what it is given only behind what the function did to it. *)
  caller_behind_uses : forall i a b, is i a -> uses a b = true -> ordered s (Finish (Act i)) (Start (Caller b))
}.

(** Action [a] is before action [b]: the rule of docs/model.md, solved (encodings/lemmas/order_sound.smt2;
    [Rules.hb] in check_rules.py). *)
Definition hb_actions (a b : action) : Prop :=
  ordinal a < ordinal b /\
  match on a with
  | Host => True
  | Queue q =>
      on b = Queue q \/
      (on b = Host /\ In q (waits b)) \/
      exists c, In c (actions P) /\ on c = Host /\ In q (waits c) /\ ordinal a < ordinal c < ordinal b
  end.

(** Action [a] has finished when the host has left the function. *)
Definition over_at_return (a : action) : Prop :=
  match on a with
  | Host => True
  | Queue q => exists c, In c (actions P) /\ on c = Host /\ In q (waits c) /\ ordinal a < ordinal c
  end.

(** Happens-before, with the caller.  Nothing is behind the caller. *)
Definition hb (i j : actor) : Prop :=
  match i, j with
  | Act m, Act n => exists a b, is m a /\ is n b /\ hb_actions a b
  | Act m, Caller x => exists a, is m a /\
      (over_at_return a \/ exists n b, is n b /\ uses b x = true /\ (m = n \/ hb_actions a b))
  | Caller _, _ => False
  end.

(** Every access of [a] happens before every access of [b] ([Order.before]). *)
Definition before (a b : N) : Prop := forall i j, touches P i a -> touches P j b -> hb i j.

(** ** Happens-before is sound: in every schedule, the one is over when the other starts. *)

Lemma ordered_trans s e f g : ordered s e f -> ordered s f g -> ordered s e g.
Proof.
  intros A B s1 s2 E. destruct (in_split _ _ (B s1 s2 E)) as (l & r & ->).
  apply in_or_app. left. apply (A l (r ++ g :: s2)). rewrite E, <- app_assoc. reflexivity.
Qed.

Section One.
Variable s : list event.
Hypothesis S : schedule s.

Lemma host_over i a j b : is i a -> is j b -> ordinal a < ordinal b -> on a = Host ->
  ordered s (Finish (Act i)) (Start (Act j)).
Proof.
  intros A B L H. pose proof (host_program_order s S i a j b A B L) as O. unfold leaves, reaches in O. rewrite H in O.
  destruct (on b) as [|q] eqn:Q; [exact O|].
  eapply ordered_trans; [exact O|]. eapply issued_before_start; eauto.
Qed.

Lemma hb_actions_over i a j b : is i a -> is j b -> hb_actions a b -> ordered s (Finish (Act i)) (Start (Act j)).
Proof.
  intros A B (L & H). destruct (on a) as [|q] eqn:Q; [eapply host_over; eauto|].
  destruct H as [H|[(H & W)|(c & C & H & W & L1 & L2)]].
  - eapply in_order_queue; eauto.
  - eapply host_waits; eauto.
  - apply In_nth_error in C as (n & C).
    eapply ordered_trans; [eapply (host_waits s S i a n c); eauto|].
    eapply ordered_trans; [apply (takes_time s S)|]. eapply host_over; eauto.
Qed.

Lemma over_at_return_over i a x : is i a -> over_at_return a -> ordered s (Finish (Act i)) (Start (Caller x)).
Proof.
  intros A H. unfold over_at_return in H. destruct (on a) as [|q] eqn:Q; [eapply caller_behind_host; eauto|].
  destruct H as (c & C & H & W & L). apply In_nth_error in C as (n & C).
  eapply ordered_trans; [eapply (host_waits s S i a n c); eauto|].
  eapply ordered_trans; [apply (takes_time s S)|]. eapply caller_behind_host; eauto.
Qed.

Lemma hb_over i j : hb i j -> ordered s (Finish i) (Start j).
Proof.
  destruct i as [m|], j as [n|x]; simpl; try tauto.
  - intros (a & b & A & B & H). eapply hb_actions_over; eauto.
  - intros (a & A & [H|(n & b & B & U & [<-|H])]).
    + eapply over_at_return_over; eauto.
    + eapply caller_behind_uses; eauto.
    + eapply ordered_trans; [eapply hb_actions_over; eauto|].
      eapply ordered_trans; [apply (takes_time s S)|]. eapply caller_behind_uses; eauto.
Qed.

(** So every touch of the one comes before every touch of the other. *)
Theorem hb_sound i j : hb i j -> forall s1 s2, s = s1 ++ Touch j :: s2 -> ~ In (Touch i) s2.
Proof.
  intros H s1 s2 E I.
  assert (O : ordered s (Finish i) (Touch j)).
  { eapply ordered_trans; [apply hb_over; exact H|apply (touches_inside s S)]. }
  destruct (in_split _ _ (O s1 s2 E)) as (l & r & ->).
  destruct (touches_inside s S i) as [_ T].
  apply (T l (r ++ Touch j :: s2)); [rewrite E, <- app_assoc; reflexivity|].
  apply in_or_app. right. now right.
Qed.
End One.
End Schedules.

(** Who touches memory, in order. *)
Definition turns (s : list event) : list actor :=
  flat_map (fun e => match e with Touch i => [i] | _ => [] end) s.

Lemma turns_split s : forall t1 i t2, turns s = t1 ++ i :: t2 ->
  exists s1 s2, s = s1 ++ Touch i :: s2 /\ turns s1 = t1 /\ turns s2 = t2.
Proof.
  induction s as [|e s IH]; intros t1 i t2 E; [destruct t1; discriminate|].
  change (turns (e :: s)) with ((match e with Touch x => [x] | _ => [] end) ++ turns s) in E.
  assert (Skip : turns s = t1 ++ i :: t2 -> turns [e] = [] ->
    exists s1 s2, e :: s = s1 ++ Touch i :: s2 /\ turns s1 = t1 /\ turns s2 = t2).
  { intros E' N. destruct (IH _ _ _ E') as (s1 & s2 & -> & <- & <-).
    exists (e :: s1), s2. repeat split; auto. change (turns (e :: s1)) with (turns ([e] ++ s1)).
    unfold turns at 1. rewrite flat_map_app. fold (turns [e]) (turns s1). now rewrite N. }
  destruct e; try (apply Skip; auto; fail).
  destruct t1 as [|j t1]; simpl in E.
  - injection E as -> <-. exists [], s. auto.
  - injection E as -> E. destruct (IH _ _ _ E) as (s1 & s2 & -> & <- & <-). exists (Touch j :: s1), s2. auto.
Qed.

Lemma turns_In s i : In i (turns s) <-> In (Touch i) s.
Proof.
  unfold turns. rewrite in_flat_map. split.
  - intros (e & I & H). destruct e; simpl in H; try tauto. now destruct H as [->|[]].
  - intros I. exists (Touch i). simpl. auto.
Qed.

(** What the machine needs to know of a schedule: who happens before takes no turn after. *)
Corollary turns_respect P s : schedule P s -> forall i j, hb P i j ->
  forall t1 t2, turns s = t1 ++ j :: t2 -> ~ In i t2.
Proof.
  intros S i j H t1 t2 E I. destruct (turns_split _ _ _ _ E) as (s1 & s2 & E' & _ & <-).
  apply turns_In in I. exact (hb_sound P s S i j H s1 s2 E' I).
Qed.
