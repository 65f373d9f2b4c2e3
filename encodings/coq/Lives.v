(** Deciding [before] on buffers: the facts done and seen of encodings/sharing.smt2.

    For each engine [e], [done b e] is one more than the last ordinal at which [e] accesses [b] (0: it never does), and
    [seen b e] is such that every action of [e] of a smaller ordinal happens before every access of [b].  (sharing.smt2
    counts both from -1; here they are one higher, so that no negative number is needed.) *)
Require Import List NArith Bool Lia.
Require Import Model Order.
Import ListNotations.
Open Scope N_scope.

(** ** The largest and the least of a list *)

Definition most (l : list N) : N := fold_right N.max 0 l.
Definition least (first : N) (l : list N) : N := fold_right N.min first l.

Lemma most_ge l n : In n l -> n <= most l.
Proof. induction l as [|m l IH]; simpl; [tauto|]. intros [->|I]; [lia|]. specialize (IH I). lia. Qed.

Lemma most_reached l n : n < most l -> exists m, In m l /\ n < m.
Proof.
  induction l as [|m l IH]; simpl; [lia|]. intros L. destruct (N.lt_ge_cases n m); [exists m; auto|].
  destruct IH as (x & I & X); [lia|exists x; auto].
Qed.

Lemma least_le first l n : In n (first :: l) -> least first l <= n.
Proof.
  induction l as [|m l IH]; simpl in *; [intros [->|[]]; lia|].
  intros [->|[->|I]]; [specialize (IH (or_introl eq_refl))| |specialize (IH (or_intror I))]; lia.
Qed.

(** ** Clocks of actions *)

(** Does a host action wait for this engine? *)
Definition waits_for (e : engine) (c : action) : bool :=
  match on c, e with
  | Host, Queue q => existsb (N.eqb q) (waits c)
  | _, _ => false
  end.

(** The ordinals at which the host waits for an engine. *)
Definition waits_at (P : program) (e : engine) : list N := map ordinal (filter (waits_for e) (actions P)).

(** Actions of engine [e] of a smaller ordinal than this happen before action [x] ([waited]: [waits_at P e]). *)
Definition clock (waited : list N) (x : action) (e : engine) : N :=
  if engine_eqb e Host || engine_eqb e (on x) || waits_for e x then ordinal x
  else most (filter (fun n => n <? ordinal x) waited).

(** Those of a smaller ordinal than this are over when the host leaves the function. *)
Definition clock_at_return (P : program) (waited : list N) (e : engine) : N :=
  match e with Host => most (map (fun a => N.succ (ordinal a)) (actions P)) | Queue _ => most waited end.

Lemma waits_for_true e c : waits_for e c = true -> exists p, e = Queue p /\ on c = Host /\ In p (waits c).
Proof.
  unfold waits_for. destruct (on c), e; try discriminate. rewrite existsb_exists.
  intros (p & I & E). apply N.eqb_eq in E. subst. exists p. auto.
Qed.

Lemma waits_at_In P e n : In n (waits_at P e) -> exists c q, e = Queue q /\ In c (actions P) /\ on c = Host /\
  In q (waits c) /\ ordinal c = n.
Proof.
  unfold waits_at. rewrite in_map_iff. intros (c & <- & I). apply filter_In in I as [I W].
  apply waits_for_true in W as (q & -> & H & W). exists c, q. auto.
Qed.

Lemma clock_sound P a x : In a (actions P) -> ordinal a < clock (waits_at P (on a)) x (on a) -> hb_actions P a x.
Proof.
  intros I L. unfold clock in L. unfold hb_actions.
  destruct (engine_eqb (on a) Host) eqn:H; simpl in L.
  { apply engine_eqb_eq in H. rewrite H. auto. }
  destruct (engine_eqb (on a) (on x)) eqn:Q; simpl in L.
  { apply engine_eqb_eq in Q. split; auto. destruct (on a) eqn:E; auto. }
  destruct (waits_for (on a) x) eqn:W.
  { apply waits_for_true in W as (q & E & X & V). rewrite E. split; auto. }
  apply most_reached in L as (n & J & L). apply filter_In in J as [J B]. apply N.ltb_lt in B.
  apply waits_at_In in J as (c & q & E & C & X & V & <-). rewrite E. split; [lia|]. right. right. exists c. auto.
Qed.

Lemma clock_at_return_sound P a : In a (actions P) ->
  ordinal a < clock_at_return P (waits_at P (on a)) (on a) -> over_at_return P a.
Proof.
  intros I L. unfold over_at_return, clock_at_return in *. destruct (on a) as [|q] eqn:E; auto.
  apply most_reached in L as (n & J & L). apply waits_at_In in J as (c & p & E' & C & H & W & <-).
  injection E' as <-. exists c. auto.
Qed.

(** ** Lives of buffers *)

(** What [before] needs of a buffer.  [times]: done and seen, for each engine. *)
Record life := Life { touched : bool; to_the_end : bool; times : list (N * N) }.

Definition done (users : list action) (e : engine) : N :=
  most (map (fun a => N.succ (ordinal a)) (filter (fun a => engine_eqb (on a) e) users)).

(** A buffer without accesses, if it is touched at all, is touched by the caller. *)
Definition seen (P : program) (waited : list N) (users : list action) (e : engine) : N :=
  match users with
  | [] => clock_at_return P waited e
  | x :: more => least (clock waited x e) (map (fun y => clock waited y e) more)
  end.

(** The engines of a program, each with the ordinals at which the host waits for it. *)
Definition engine_eq_dec (d e : engine) : {d = e} + {d <> e}.
Proof. decide equality. apply N.eq_dec. Defined.
Definition engines (P : program) : list engine := nodup engine_eq_dec (map on (actions P)).
Definition waiting (P : program) : list (engine * list N) := map (fun e => (e, waits_at P e)) (engines P).

Definition users (P : program) (b : N) : list action := filter (fun a => uses a b) (actions P).

Definition life_of (P : program) (table : list (engine * list N)) (b : N) : life :=
  let mine := users P b in
  let kept := handed_over P b in
  Life (negb (match mine with [] => true | _ => false end) || kept) kept
    (map (fun row => (done mine (fst row), seen P (snd row) mine (fst row))) table).

(** Is every access of the one over before any access of the other?  [Rules.clash] is None; sharing.smt2: [over_on]. *)
Definition life_before (a b : life) : bool :=
  negb (touched b) ||
  (negb (to_the_end a) && forallb (fun row => fst (fst row) <=? snd (snd row)) (combine (times a) (times b))).

Lemma combine_map {A B C} (f : A -> B) (g : A -> C) l : combine (map f l) (map g l) = map (fun x => (f x, g x)) l.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.

Lemma users_In P b a : In a (users P b) <-> In a (actions P) /\ uses a b = true.
Proof. apply filter_In. Qed.

Lemma engines_In P a : In a (actions P) -> In (on a) (engines P).
Proof. intros I. apply nodup_In. now apply in_map. Qed.

Lemma done_seen P a b x : In x (users P a) ->
  forallb (fun row => fst (fst row) <=? snd (snd row))
    (combine (times (life_of P (waiting P) a)) (times (life_of P (waiting P) b))) = true ->
  ordinal x < seen P (waits_at P (on x)) (users P b) (on x).
Proof.
  intros I H. unfold life_of, times, waiting in H. rewrite combine_map, forallb_forall in H.
  assert (J : In (on x) (engines P)) by (apply engines_In; apply users_In in I; tauto).
  specialize (H _ (in_map _ _ _ (in_map (fun e => (e, waits_at P e)) _ _ J))). simpl in H. apply N.leb_le in H.
  assert (D : N.succ (ordinal x) <= done (users P a) (on x)); [|lia].
  apply most_ge. apply in_map_iff. exists x. split; auto. apply filter_In. split; auto. now apply engine_eqb_eq.
Qed.

Lemma seen_le P waited mine x e : In x mine -> seen P waited mine e <= clock waited x e.
Proof.
  unfold seen. destruct mine as [|y more]; simpl; [tauto|]. intros [->|I]; apply least_le; simpl; auto.
  right. apply in_map_iff. eauto.
Qed.

Theorem life_before_sound P a b :
  life_before (life_of P (waiting P) a) (life_of P (waiting P) b) = true -> before P a b.
Proof.
  intros H i j A B. unfold life_before in H. apply orb_true_iff in H as [H|H].
  { exfalso. apply negb_true_iff in H. simpl in H. apply orb_false_iff in H as [N K]. destruct j as [n|c]; simpl in B.
    - destruct B as (y & Y & U). apply negb_false_iff in N.
      assert (I : In y (users P b)) by (apply users_In; split; auto; eapply nth_error_In; eauto).
      destruct (users P b); [destruct I|discriminate].
    - destruct B as [-> B]. unfold handed_over in *. congruence. }
  apply andb_true_iff in H as [E H]. apply negb_true_iff in E. simpl in E. destruct i as [m|c]; simpl in A.
  2: { destruct A as [-> A]. congruence. }
  destruct A as (x & X & U).
  assert (I : In x (users P a)) by (apply users_In; split; auto; eapply nth_error_In; eauto).
  pose proof (done_seen P a b x I H) as L. apply users_In in I as [I _].
  destruct j as [n|c]; simpl in B.
  - destruct B as (y & Y & V). exists x, y. split; [exact X|]. split; [exact Y|]. apply clock_sound; auto.
    eapply N.lt_le_trans; [exact L|]. apply seen_le. apply users_In. split; auto. eapply nth_error_In; eauto.
  - destruct B as [-> B]. exists x. split; auto.
    destruct (users P b) as [|y more] eqn:W.
    + left. apply clock_at_return_sound; auto.
    + right. assert (J : In y (users P b)) by (rewrite W; now left). apply users_In in J as [J V].
      apply In_nth_error in J as (n & J). exists n, y. split; [exact J|]. split; [exact V|]. right.
      apply clock_sound; auto.
      eapply N.lt_le_trans; [exact L|]. apply seen_le. now left.
Qed.

(** ** And it is exact: where it says no, the one is not before the other. *)

Lemma least_gt first l n : n < first -> (forall m, In m l -> n < m) -> n < least first l.
Proof.
  intros F. induction l as [|m l IH]; simpl; auto. intros H. specialize (H m (or_introl eq_refl)) as Hm.
  assert (n < least first l) by (apply IH; auto). lia.
Qed.

Lemma clock_exact P a x : hb_actions P a x -> ordinal a < clock (waits_at P (on a)) x (on a).
Proof.
  intros (L & H). unfold clock.
  destruct (engine_eqb (on a) Host || engine_eqb (on a) (on x) || waits_for (on a) x) eqn:E; auto.
  rewrite !orb_false_iff in E. destruct E as [[E1 E2] E3].
  assert (N1 : on a <> Host) by (intros Z; apply engine_eqb_eq in Z; congruence).
  assert (N2 : on a <> on x) by (intros Z; apply engine_eqb_eq in Z; congruence).
  destruct (on a) as [|q] eqn:Q; [congruence|]. destruct H as [H|[(H & W)|(c & C & H & W & L1 & L2)]]; [congruence| |].
  - exfalso. unfold waits_for in E3. rewrite H in E3. rewrite <- not_true_iff_false, existsb_exists in E3.
    apply E3. exists q. split; auto. apply N.eqb_refl.
  - apply N.lt_le_trans with (ordinal c); auto. apply most_ge. apply filter_In. split; [|now apply N.ltb_lt].
    unfold waits_at. apply in_map. apply filter_In. split; auto. unfold waits_for. rewrite H. apply existsb_exists.
    exists q. split; auto. apply N.eqb_refl.
Qed.

Lemma clock_at_return_exact P a : In a (actions P) -> over_at_return P a ->
  ordinal a < clock_at_return P (waits_at P (on a)) (on a).
Proof.
  intros I H. unfold over_at_return, clock_at_return in *. destruct (on a) as [|q].
  - apply N.lt_le_trans with (N.succ (ordinal a)); [lia|]. apply most_ge.
    now apply in_map with (f := fun a => N.succ (ordinal a)).
  - destruct H as (c & C & H & W & L). apply N.lt_le_trans with (ordinal c); auto. apply most_ge. unfold waits_at.
    apply in_map. apply filter_In. split; auto. unfold waits_for. rewrite H. apply existsb_exists. exists q.
    split; auto.
    apply N.eqb_refl.
Qed.

Theorem life_before_exact P a b :
  before P a b -> life_before (life_of P (waiting P) a) (life_of P (waiting P) b) = true.
Proof.
  intros B. unfold life_before. destruct (touched (life_of P (waiting P) b)) eqn:T; [|reflexivity]. simpl negb.
  assert (J : exists j, touches P j b).
  { simpl in T. apply orb_true_iff in T as [T|T]; [|now exists (Caller b)].
    destruct (users P b) as [|y more] eqn:W; [discriminate|].
    assert (I : In y (users P b)) by (rewrite W; now left). apply users_In in I as [I V].
    apply In_nth_error in I as (n & I). exists (Act n), y. auto. }
  destruct J as (j & J). simpl orb. apply andb_true_iff. split.
  { apply negb_true_iff. simpl. destruct (handed_over P a) eqn:H; auto. destruct (B (Caller a) j (conj eq_refl H) J). }
  unfold life_of, times, waiting. rewrite combine_map, forallb_forall. intros row I.
  apply in_map_iff in I as ((e & ws) & <- & I). apply in_map_iff in I as (e' & E & _). injection E as -> <-. simpl.
  apply N.leb_le. apply N.le_ngt. intros L. apply most_reached in L as (m & M & L).
  apply in_map_iff in M as (x & <- & M). apply filter_In in M as [M E]. apply engine_eqb_eq in E. subst e.
  apply users_In in M as [M U]. apply In_nth_error in M as (n & X).
  assert (A : touches P (Act n) a) by (exists x; auto).
  enough (ordinal x < seen P (waits_at P (on x)) (users P b) (on x)) by lia.
  unfold seen. destruct (users P b) as [|y more] eqn:W.
  - assert (H : handed_over P b = true) by (simpl in T; rewrite W in T; exact T).
    destruct (B (Act n) (Caller b) A (conj eq_refl H)) as (x' & X' & O). unfold is in X'. rewrite X in X'.
    injection X' as <-.
    destruct O as [O|(k & y & Y & V & _)].
    + apply clock_at_return_exact; auto. eapply nth_error_In; eauto.
    + exfalso. assert (I : In y (users P b)) by (apply users_In; split; auto; eapply nth_error_In; eauto).
      rewrite W in I. destruct I.
  - assert (All : forall z, In z (y :: more) -> ordinal x < clock (waits_at P (on x)) z (on x)).
    { intros z I. rewrite <- W in I. apply users_In in I as [I V]. apply In_nth_error in I as (k & Z).
      assert (C : touches P (Act k) b) by (exists z; auto).
      destruct (B (Act n) (Act k) A C) as (x' & z' & X' & Z' & H). unfold is in *. rewrite X in X'. rewrite Z in Z'.
      injection X' as <-. injection Z' as <-. now apply clock_exact. }
    apply least_gt; [apply All; now left|]. intros m I. apply in_map_iff in I as (z & <- & I). apply All. now right.
Qed.
