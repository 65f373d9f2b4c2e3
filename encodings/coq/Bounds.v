(** Why no plan is smaller: cliques, docs/certificates.md.

    A clique is a set of buffers of which no two may share.  Its members need bytes, or slots, of their own. *)
Require Import List Arith NArith Bool Lia.
Require Import Model Machine Order Lives Safety Slots Arena.
Import ListNotations.
Open Scope N_scope.

(** What the comparison of two buffers needs. *)
Definition view := (option buffer * life)%type.
Definition view_of (P : program) (table : list (engine * list N)) (b : N) : view := (buffer_of P b, life_of P table b).

(** Sizes that may be together in one slot: both known, or equal at run time. *)
Definition sizes_mix (d e : extent) : bool :=
  match d, e with
  | Bytes _, Bytes _ => true
  | RunTime j, RunTime k => j =? k
  | _, _ => false
  end.

(** May the two be in common memory?  ([Rules.may_share] under the policy happens-before.) *)
Definition may_share (x y : view) : bool :=
  match fst x, fst y with
  | Some a, Some b =>
      negb (pinned a) && negb (pinned b) && (space a =? space b) && sizes_mix (size a) (size b) &&
      in_order (snd x) (snd y)
  | _, _ => true
  end.

Lemma sizes_mix_sym d e : sizes_mix d e = sizes_mix e d.
Proof. destruct d, e; simpl; auto. apply N.eqb_sym. Qed.

Lemma may_share_sym x y : may_share x y = may_share y x.
Proof.
  unfold may_share. destruct (fst x) as [a|], (fst y) as [b|]; auto.
  rewrite (N.eqb_sym (space a)), (sizes_mix_sym (size a)), in_order_sym. destruct (pinned a), (pinned b); auto.
Qed.

Definition conflict (x y : view) : bool := negb (may_share x y).

(** A clique of buffers of at least [threshold] bytes ([plan.Clique]). *)
Record clique := Clique { threshold : N; clique_members : list N }.

Definition large_enough (n : N) (x : view) : bool :=
  match fst x with
  | Some b => negb (external b) && match size b with Bytes m => n <=? m | RunTime _ => false end
  | None => false
  end.

Definition clique_right (P : program) (table : list (engine * list N)) (c : clique) : bool :=
  let found := map (view_of P table) (clique_members c) in
  distinct (clique_members c) && forallb (large_enough (threshold c)) found && all_pairs conflict found.

(** The bound of some cliques of rising thresholds: each byte between one threshold and the next is needed as often as
    the clique has members.  None if a clique is none. *)
Fixpoint bound_from (P : program) (table : list (engine * list N)) (below : N) (l : list clique) : option N :=
  match l with
  | [] => Some 0
  | c :: more =>
      if (below <=? threshold c) && clique_right P table c then
        match bound_from P table (threshold c) more with
        | Some n => Some ((threshold c - below) * N.of_nat (length (clique_members c)) + n)
        | None => None
        end
      else None
  end.
Definition slots_bound (P : program) (l : list clique) : option N := bound_from P (waiting P) 0 l.

(** What a plan costs: the sum of its rooms of known size ([Slots.cost_bytes]). *)
Definition room_bytes (x : slot) : N := match room x with Some n => n | None => 0 end.
Definition slots_cost (plan : slots) : N := fold_right N.add 0 (map room_bytes plan).

(** The plain bound, for arenas: the sizes of one clique. *)
Definition arena_bound (P : program) (c : clique) : option N :=
  if clique_right P (waiting P) c
  then Some (fold_right N.add 0 (map (size_of P (fun _ => 0)) (clique_members c)))
  else None.

(** ** Lists *)

Lemma NoDup_map_on {A B} (f : A -> B) l :
  NoDup l -> (forall a b, In a l -> In b l -> f a = f b -> a = b) -> NoDup (map f l).
Proof.
  induction l as [|x l IH]; simpl; intros D J; [constructor|]. inversion D; subst. constructor.
  - intros I. apply in_map_iff in I as (y & E & I). assert (y = x) by auto. congruence.
  - apply IH; auto.
Qed.

Lemma NoDup_flat_map {A B} (f : A -> list B) l : NoDup l -> (forall a, In a l -> NoDup (f a)) ->
  (forall a b c, In a l -> In b l -> In c (f a) -> In c (f b) -> a = b) -> NoDup (flat_map f l).
Proof.
  induction l as [|x l IH]; simpl; intros D N J; [constructor|]. inversion D as [|? ? X D']; subst.
  assert (R : NoDup (flat_map f l)) by (apply IH; auto; intros; eapply J; eauto).
  assert (S : forall c, In c (f x) -> ~ In c (flat_map f l)).
  { intros c I K. apply in_flat_map in K as (y & Y & K). assert (x = y) by (eapply J; eauto). congruence. }
  specialize (N x (or_introl eq_refl)). induction (f x) as [|c r IHr]; simpl; auto. inversion N; subst.
  constructor.
  - rewrite in_app_iff. intros [?|I]; auto. apply (S c); simpl; auto.
  - apply IHr; auto. intros d I. apply S. now right.
Qed.

(** ** Slots *)

Section SlotPlan.
Variables (P : program) (plan : slots).
Hypothesis ok : check_slots P plan = true.
Let seen_as := view_of P (waiting P).

(** Two members of one slot may share. *)
Lemma members_share x a b : In x plan -> In a (members x) -> In b (members x) -> a <> b ->
  may_share (seen_as a) (seen_as b) = true.
Proof.
  intros I A B N. pose proof (check_slots_slot _ _ _ ok I) as C. unfold check_slot in C.
  destruct (buffers_of P (members x)) as [found|] eqn:F; [|discriminate].
  rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[[[_ R] L] Al] O].
  destruct (buffers_of_In _ _ _ F) as (Look & _ & Len).
  destruct (Look a A) as (y & Y & Fy). destruct (Look b B) as (z & Z & Fz).
  assert (Pin : existsb pinned found = false).
  { apply orb_true_iff in Al as [Al|Al]; [now apply negb_true_iff|]. exfalso. apply Nat.eqb_eq in Al. rewrite Len in Al.
    destruct (members x) as [|c [|]]; simpl in *; lia. }
  assert (NotPin : forall w, In w found -> pinned w = false).
  { intros w J. destruct (pinned w) eqn:W; auto. rewrite <- Pin. symmetry. apply existsb_exists. eauto. }
  unfold may_share, seen_as, view_of. simpl. rewrite Y, Z, (NotPin y Fy), (NotPin z Fz). simpl.
  pose proof (L y Fy) as Ly. pose proof (L z Fz) as Lz. unfold lives_here in Ly, Lz.
  rewrite !andb_true_iff, !N.eqb_eq in Ly, Lz. destruct Ly as [_ Ly], Lz as [_ Lz]. rewrite Ly, Lz, N.eqb_refl. simpl.
  apply andb_true_iff. split.
  - unfold room_fits in R. destruct (room x) as [n|].
    + apply andb_true_iff in R as [R _]. rewrite forallb_forall in R. pose proof (R y Fy) as Ry.
      pose proof (R z Fz) as Rz.
      destruct (size y), (size z); auto; discriminate.
    + destruct found as [|first more]; [discriminate|]. destruct (size first) as [|key]; [discriminate|].
      rewrite forallb_forall in R. pose proof (R y Fy) as Ry. pose proof (R z Fz) as Rz.
      destruct (size y), (size z); simpl in *; try discriminate. apply N.eqb_eq in Ry, Rz. subst. apply N.eqb_refl.
  - destruct (all_pairs_In _ _ _ a b O A B N) as [Q|Q]; [exact Q|now rewrite in_order_sym].
Qed.

Definition slot_holding (b : N) : option slot := find (fun x => member b (members x)) plan.

Lemma holding_spec b x : slot_holding b = Some x -> In x plan /\ In b (members x).
Proof. intros H. apply find_some in H as [I M]. split; auto. now apply member_In. Qed.

(** A clique has no more members than there are slots of that size or more, among those that hold a member at all. *)
Theorem clique_needs_slots_of (keep : slot -> bool) c : clique_right P (waiting P) c = true ->
  (forall x b, In x plan -> In b (members x) -> In b (clique_members c) -> keep x = true) ->
  (length (clique_members c) <= length (filter (fun x => N.leb (threshold c) (room_bytes x)) (filter keep plan)))%nat.
Proof.
  unfold clique_right. rewrite !andb_true_iff, forallb_forall. intros [[D L] K] Keep.
  rewrite <- (map_length slot_holding (clique_members c)), <- (map_length Some (filter _ (filter keep plan))).
  assert (Held : forall b, In b (clique_members c) -> exists x, slot_holding b = Some x /\ threshold c <= room_bytes x).
  { intros b I. specialize (L _ (in_map _ _ _ I)). unfold large_enough, view_of in L. simpl in L.
    destruct (buffer_of P b) as [y|] eqn:Y; [|discriminate]. apply andb_true_iff in L as [X L].
    destruct (proj2 (check_slots_total _ _ ok) b) as (x & J & M); [congruence| |].
    { unfold is_external, flag. rewrite Y. now apply negb_true_iff. }
    destruct (slot_holding b) as [z|] eqn:S.
    2: { exfalso. eapply find_none in S; [|exact J]. apply member_In in M. simpl in S. congruence. }
    destruct (holding_spec _ _ S) as [Iz Mz]. exists z. split; auto.
    pose proof (check_slots_slot _ _ _ ok Iz) as C. unfold check_slot in C.
    destruct (buffers_of P (members z)) as [found|] eqn:F; [|discriminate].
    rewrite !andb_true_iff in C. destruct C as [[[[_ R] _] _] _].
    destruct (buffers_of_In _ _ _ F) as (Look & _). destruct (Look b Mz) as (w & W & Fw). rewrite Y in W.
    injection W as <-.
    unfold room_fits in R. unfold room_bytes. destruct (room z) as [n|].
    - apply andb_true_iff in R as [R _]. rewrite forallb_forall in R. specialize (R y Fw).
      destruct (size y); [|discriminate]. apply N.leb_le in R, L. lia.
    - destruct found as [|first more]; [discriminate|]. destruct (size first); [discriminate|].
      rewrite forallb_forall in R. specialize (R y Fw). destruct (size y); discriminate. }
  apply NoDup_incl_length.
  - apply NoDup_map_on; [now apply distinct_NoDup|]. intros a b A B E.
    destruct (N.eq_dec a b) as [|N]; auto. exfalso.
    destruct (Held a A) as (x & Sa & _). rewrite Sa in E. symmetry in E.
    destruct (holding_spec _ _ Sa) as [I Ma]. destruct (holding_spec _ _ E) as [_ Mb].
    destruct (all_pairs_In _ _ _ a b K A B N) as [Q|Q]; unfold conflict in Q; apply negb_true_iff in Q;
      rewrite (members_share x) in Q; auto; discriminate.
  - intros o I. apply in_map_iff in I as (b & <- & I). destruct (Held b I) as (x & S & T). rewrite S.
    destruct (holding_spec _ _ S) as [Ix Mx].
    apply in_map. apply filter_In. split; [|now apply N.leb_le]. apply filter_In. split; auto. eapply Keep; eauto.
Qed.

Corollary clique_needs_slots c : clique_right P (waiting P) c = true ->
  (length (clique_members c) <= length (filter (fun x => N.leb (threshold c) (room_bytes x)) plan))%nat.
Proof.
  intros K. pose proof (clique_needs_slots_of (fun _ => true) c K (fun _ _ _ _ _ => eq_refl)) as H.
  assert (E : filter (fun _ : slot => true) plan = plan); [|now rewrite E in H].
  clear. induction plan as [|x l IH]; simpl; congruence.
Qed.

(** What the rooms have above some number of bytes. *)
Definition above (n : N) : N := fold_right N.add 0 (map (fun x => room_bytes x - n) plan).

Lemma above_step n w : n <= w ->
  (w - n) * N.of_nat (length (filter (fun x => N.leb w (room_bytes x)) plan)) + above w <= above n.
Proof.
  intros L. unfold above. generalize plan. intros l. induction l as [|x l IH]; simpl; [lia|].
  destruct (w <=? room_bytes x) eqn:E; simpl length; rewrite ?Nnat.Nat2N.inj_succ.
  - apply N.leb_le in E. rewrite N.mul_succ_r. lia.
  - apply N.leb_gt in E. lia.
Qed.

Lemma bound_from_sound l : forall below n, bound_from P (waiting P) below l = Some n -> n <= above below.
Proof.
  induction l as [|c l IH]; simpl; intros below n E; [injection E as <-; lia|].
  destruct ((below <=? threshold c) && clique_right P (waiting P) c) eqn:K; [|discriminate].
  apply andb_true_iff in K as [L K]. apply N.leb_le in L.
  destruct (bound_from P (waiting P) (threshold c) l) as [m|] eqn:M; [|discriminate]. injection E as <-.
  specialize (IH _ _ M). pose proof (above_step below (threshold c) L) as S. pose proof (clique_needs_slots c K) as C.
  apply N.le_trans with (2 := S). apply N.add_le_mono; auto. apply N.mul_le_mono_l. lia.
Qed.

(** The clique bound: no plan that the checker accepts costs less. *)
Theorem slots_bound_sound l n : slots_bound P l = Some n -> n <= slots_cost plan.
Proof.
  intros E. apply bound_from_sound in E. unfold above, slots_cost in *.
  now erewrite map_ext in E by (intros; apply N.sub_0_r).
Qed.
End SlotPlan.

(** ** Arenas *)

(** The bytes of a buffer, and those of pools numbered from [n] on. *)
Definition cells (place : address) (n : N) : list address :=
  map (fun k => (fst place, snd place + N.of_nat k)) (seq 0 (N.to_nat n)).
Fixpoint pool_cells (n : N) (l : list pool) : list address :=
  match l with [] => [] | x :: more => cells (n, 0) (pool_bytes x) ++ pool_cells (N.succ n) more end.

Lemma cells_length place n : length (cells place n) = N.to_nat n.
Proof. unfold cells. now rewrite map_length, seq_length. Qed.

Lemma cells_In place n q : In q (cells place n) <-> exists k, k < n /\ q = (fst place, snd place + k).
Proof.
  unfold cells. rewrite in_map_iff. split.
  - intros (k & <- & I). apply in_seq in I. exists (N.of_nat k). split; auto. lia.
  - intros (k & L & ->). exists (N.to_nat k). rewrite Nnat.N2Nat.id. split; auto. apply in_seq. lia.
Qed.

Lemma cells_NoDup place n : NoDup (cells place n).
Proof.
  apply NoDup_map_on; [apply seq_NoDup|]. intros a b _ _ E. injection E as E. apply Nnat.Nat2N.inj. lia.
Qed.

Lemma pool_cells_length l : forall n, length (pool_cells n l) = N.to_nat (fold_right N.add 0 (map pool_bytes l)).
Proof. induction l as [|x l IH]; simpl; intros n; auto. rewrite app_length, cells_length, IH. lia. Qed.

Lemma pool_cells_In l : forall n i x k, nth_error l i = Some x -> k < pool_bytes x ->
  In (n + N.of_nat i, k) (pool_cells n l).
Proof.
  induction l as [|y l IH]; intros n [|i] x k E L; simpl in E; try discriminate; simpl pool_cells; apply in_or_app.
  - injection E as ->. left. apply cells_In. exists k. simpl. split; auto. f_equal; lia.
  - right. specialize (IH (N.succ n) i x k E L). now replace (n + N.of_nat (S i)) with (N.succ n + N.of_nat i) by lia.
Qed.

Theorem arena_bound_sound P plan c n : check_arena P plan = true -> arena_bound P c = Some n -> n <= arena_cost plan.
Proof.
  intros ok. unfold arena_bound. destruct (clique_right P (waiting P) c) eqn:K; [|discriminate].
  intros E. injection E as <-. unfold clique_right in K. rewrite !andb_true_iff, forallb_forall in K.
  destruct K as [[D L] K]. set (sz := size_of P (fun _ => 0)). set (l := clique_members c) in *.
  assert (In_pool : forall b, In b l -> exists p o x y, buffer_of P b = Some y /\ home_of plan b = Some (p, o) /\
    nth (pools plan) p = Some x /\ o + sz b <= pool_bytes x /\ space y = pool_space x /\
    external y = false).
  { intros b I. specialize (L _ (in_map _ _ _ I)). unfold large_enough, view_of in L. simpl in L.
    destruct (buffer_of P b) as [y|] eqn:Y; [|discriminate]. apply andb_true_iff in L as [X _].
    apply negb_true_iff in X.
    destruct (check_arena_right P plan ok b y Y X) as (p & o & x & m & H & Q & S & F & Sp & _).
    exists p, o, x, y. unfold sz, size_of. rewrite Y, S. auto 8. }
  assert (Len : N.to_nat (fold_right N.add 0 (map sz l)) =
    length (flat_map (fun b => cells (address_of plan b) (sz b)) l)).
  { generalize l. intros m. induction m as [|b m IH]; simpl; auto. rewrite app_length, cells_length, <- IH. lia. }
  enough (N.to_nat (fold_right N.add 0%N (map sz l)) <= N.to_nat (arena_cost plan))%nat by lia.
  unfold arena_cost. rewrite Len, <- (pool_cells_length (pools plan) 0%N). apply NoDup_incl_length.
  - apply NoDup_flat_map; [now apply distinct_NoDup|intros; apply cells_NoDup|].
    intros a b q A B Qa Qb. destruct (N.eq_dec a b) as [|N]; auto. exfalso.
    apply cells_In in Qa as (k & Ka & ->). apply cells_In in Qb as (j & Kb & E).
    assert (O : overlap (address_of plan) sz a b) by (exists k, j; auto).
    destruct (In_pool a A) as (p & o & x & y & Y & Ha & Xa & Fa & Sa & Ea).
    destruct (In_pool b B) as (p' & o' & x' & z & Z & Hb & Xb & Fb & Sb & Eb).
    unfold address_of in E. rewrite Ha, Hb in E. simpl in E. injection E as <- E. rewrite Xa in Xb. injection Xb as <-.
    assert (Pin : forall e w, In e l -> buffer_of P e = Some w -> external w = false ->
      home_of plan e = Some (p, snd (address_of plan e)) ->
      forall f, In f l -> f <> e -> home_of plan f = Some (p, snd (address_of plan f)) -> pinned w = false).
    { intros e w Ie We Xe He f If Ne Hf. destruct (pinned w) eqn:Pw; auto. exfalso.
      destruct (check_arena_right P plan ok e w We Xe) as (p1 & o1 & x1 & n1 & H1 & _ & _ & _ & _ & _ & Al).
      rewrite He in H1. injection H1 as <- _. destruct (In_pool f If) as (_ & _ & _ & w' & W' & _).
      apply (Al Pw f p _ Hf); auto. congruence. }
    assert (Pa : pinned y = false).
    { eapply (Pin a y A Y Ea) with (f := b); auto; unfold address_of; rewrite ?Ha, ?Hb; auto. }
    assert (Pb : pinned z = false).
    { eapply (Pin b z B Z Eb) with (f := a); auto; unfold address_of; rewrite ?Ha, ?Hb; auto. }
    assert (I : in_order (life_of P (waiting P) a) (life_of P (waiting P) b) = true)
      by (eapply overlap_in_order; eauto).
    assert (Share : may_share (view_of P (waiting P) a) (view_of P (waiting P) b) = true).
    { unfold may_share, view_of. simpl. rewrite Y, Z, Pa, Pb, Sa, Sb, N.eqb_refl, I. simpl. rewrite andb_true_r.
      pose proof (L _ (in_map _ _ _ A)) as La. pose proof (L _ (in_map _ _ _ B)) as Lb.
      unfold large_enough, view_of in La, Lb.
      simpl in La, Lb. rewrite Y in La. rewrite Z in Lb. apply andb_true_iff in La as [_ La].
      apply andb_true_iff in Lb as [_ Lb].
      destruct (size y), (size z); auto; discriminate. }
    destruct (all_pairs_In _ _ _ a b K A B N) as [Q|Q]; unfold conflict in Q; apply negb_true_iff in Q;
      [|rewrite may_share_sym in Q]; congruence.
  - intros q I. apply in_flat_map in I as (b & B & I). apply cells_In in I as (k & Kb & ->).
    destruct (In_pool b B) as (p & o & x & y & Y & Hb & X & F & _). unfold address_of. rewrite Hb. simpl.
    rewrite nth_nth_error in X. replace p with (0 + N.of_nat (N.to_nat p)) by lia. eapply pool_cells_In; eauto. lia.
Qed.
