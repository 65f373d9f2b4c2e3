(** Bounds by multipliers: the evidence `Dual` of docs/certificates.md, for the buffers of one part.

    Multipliers are fractions there; here they are numerators over one denominator [scale]. *)
Require Import List Arith NArith Bool Lia.
Require Import Model Machine Order Lives Safety Slots Arena Bounds.
Import ListNotations.
Open Scope N_scope.

Definition sum (l : list N) : N := fold_right N.add 0 l.

(** A clique with its multiplier, for slots of exactly [slot_bytes] ([plan.Weighted]). *)
Record weighted := Weighted { slot_bytes : N; weight : N; weighted_members : list N }.

(** The evidence for a part: its buffers, weighted cliques, and threshold cliques by rising thresholds. *)
Record dual := Dual { part : list N; scale : N; weights : list weighted; levels : list clique }.

(** The multipliers that slots of a size must pay for: [S_k] of the document. *)
Definition spent (d : dual) (w : N) : N := sum (map weight (filter (fun x => slot_bytes x =? w) (weights d))).
(** What those pay to buffer [b]: the multipliers of the cliques that it is in. *)
Definition paid (d : dual) (w b : N) : N :=
  sum (map weight (filter (fun x => (slot_bytes x =? w) && member b (weighted_members x)) (weights d))).
(** What is left of a slot's bytes: [w_k - S_k]. *)
Definition left (d : dual) (w : N) : N := scale d * w - spent d w.

Definition bytes (P : program) (b : N) : N := size_of P (fun _ => 0) b.
(** The sizes that slots of the part can have. *)
Definition widths (P : program) (d : dual) : list N := nodup N.eq_dec (map (bytes P) (part d)).

Definition least_of (l : list N) : N := match l with [] => 0 | x :: more => least x more end.
(** [P_j]: what buffer [b] is paid at least, wherever it lives.  [ws]: the widths of the part. *)
Definition pay (P : program) (ws : list N) (d : dual) (b : N) : N :=
  least_of (map (fun w => paid d w b) (filter (N.leb (bytes P b)) ws)).
(** [M_k]: what is left at least in slots of [w] bytes or more. *)
Definition rest (ws : list N) (d : dual) (w : N) : N := least_of (map (left d) (filter (N.leb w) ws)).

Lemma least_of_le l n : In n l -> least_of l <= n.
Proof. destruct l as [|x l]; [destruct 1|]. apply least_le. Qed.

Lemma sum_map_le {A} (f g : A -> N) l : (forall x, In x l -> f x <= g x) -> sum (map f l) <= sum (map g l).
Proof.
  induction l as [|x l IH]; simpl; intros H; [lia|]. apply N.add_le_mono; auto.
Qed.

(** Each clique pays at most one member of a slot, so that a slot pays no more than it spends. *)
Lemma paid_spent d w l : NoDup l ->
  (forall x, In x (weights d) -> slot_bytes x = w -> forall a b, In a l -> In b l ->
     In a (weighted_members x) -> In b (weighted_members x) -> a = b) ->
  sum (map (paid d w) l) <= spent d w.
Proof.
  unfold paid, spent. intros D. induction (weights d) as [|x ws IH]; simpl; intros H.
  - clear. induction l; simpl; lia.
  - assert (IH' := IH (fun y I => H y (or_intror I))). clear IH.
    destruct (slot_bytes x =? w) eqn:E; simpl.
    2: { exact IH'. }
    apply N.eqb_eq in E. specialize (H x (or_introl eq_refl) E).
    assert (One : sum (map (fun b => if member b (weighted_members x) then weight x else 0) l) <= weight x).
    { clear IH'. induction l as [|a l IHl]; simpl; [lia|]. inversion D; subst.
      destruct (member a (weighted_members x)) eqn:M.
      - assert (Z : sum (map (fun b => if member b (weighted_members x) then weight x else 0) l) = 0); [|lia].
        apply member_In in M.
        assert (No : forall b, In b l -> member b (weighted_members x) = false).
        { intros b I. destruct (member b (weighted_members x)) eqn:B; auto. apply member_In in B. exfalso.
          assert (a = b) by (apply H; simpl; auto). congruence. }
        clear - No. induction l as [|b l IH]; simpl; auto. rewrite (No b) by (simpl; auto). rewrite IH; auto.
        intros c I. apply No. now right.
      - apply IHl; auto. intros b c I J. apply H; simpl; auto. }
    rewrite <- (N.add_comm (sum _) (weight x)).
    enough (S : sum (map (fun b => sum (map weight (if member b (weighted_members x)
        then x :: filter (fun y => (slot_bytes y =? w) && member b (weighted_members y)) ws
        else filter (fun y => (slot_bytes y =? w) && member b (weighted_members y)) ws))) l) =
      sum (map (fun b => sum (map weight
        (filter (fun y => (slot_bytes y =? w) && member b (weighted_members y)) ws))) l) +
      sum (map (fun b => if member b (weighted_members x) then weight x else 0) l)) by (rewrite S; lia).
    clear. induction l as [|b l IH]; simpl; auto. rewrite IH. destruct (member b (weighted_members x)); simpl; lia.
Qed.

(** ** The checker *)

(** A slot of the part: it holds one of its buffers. *)
Definition of_part (d : dual) (x : slot) : bool := existsb (fun b => member b (part d)) (members x).

(** Buffers of the part share with no allocation outside, so that no slot spans it. *)
Definition separate (P : program) (table : list (engine * list N)) (d : dual) : bool :=
  let mine := map (view_of P table) (part d) in
  let others := filter (fun b => negb (is_external P b) && negb (member b (part d))) (numbers P) in
  forallb (fun v => forallb (conflict v) mine) (map (view_of P table) others).

Definition weighted_right (P : program) (table : list (engine * list N)) (x : weighted) : bool :=
  all_pairs conflict (map (view_of P table) (weighted_members x)).

Definition dual_right (P : program) (table : list (engine * list N)) (d : dual) : bool :=
  distinct (part d) && forallb (large_enough 0) (map (view_of P table) (part d)) && separate P table d &&
  forallb (weighted_right P table) (weights d) && forallb (fun w => spent d w <=? scale d * w) (widths P d) &&
  forallb (fun c => clique_right P table c && forallb (fun b => member b (part d)) (clique_members c)) (levels d).

(** What the threshold cliques add, for what is left: [sum of (M_k - M_(k+1)) h_k]. *)
Fixpoint layers (ws : list N) (d : dual) (below : N) (l : list clique) : N :=
  match l with
  | [] => 0
  | c :: more =>
      let r := rest ws d (threshold c) in
      (r - below) * N.of_nat (length (clique_members c)) + layers ws d (N.max below r) more
  end.

(** The bound of the part, times the scale: [B] of the document. *)
Definition scaled_bound (P : program) (d : dual) : N :=
  let ws := widths P d in sum (map (pay P ws d) (part d)) + layers ws d 0 (levels d).

(** Costs are multiples of the common divisor of the sizes. *)
Definition unit_of (P : program) (d : dual) : N := fold_right N.gcd 0 (widths P d).

(** Is [n] bytes a bound of the part?  It is if all costs below it, which are multiples of the unit, are too little. *)
Definition bounds_part (P : program) (d : dual) (n : N) : bool :=
  let most := scaled_bound P d in
  let unit := unit_of P d in
  (scale d * n <=? most) || (scale d * (unit * ((n - 1) / unit)) <? most).

(** A certificate: parts that have no buffer in common, each with its bound. *)
Definition check_certificate (P : program) (l : list (dual * N)) : bool :=
  let table := waiting P in
  distinct (flat_map (fun row => part (fst row)) l) &&
  forallb
    (fun row => dual_right P table (fst row) && bounds_part P (fst row) (snd row) && negb (scale (fst row) =? 0)) l.

(** ** It is right *)

Lemma least_of_In l : l <> [] -> In (least_of l) l.
Proof.
  destruct l as [|x l]; [congruence|]. intros _. simpl. clear. revert x.
  induction l as [|y l IH]; simpl; intros x; auto.
  destruct (IH x) as [E|I]; [|destruct (N.min_spec y (least x l)) as [[_ ->]|[_ ->]]; auto].
  destruct (N.min_spec y (least x l)) as [[_ ->]|[_ ->]]; auto.
Qed.

Lemma sum_app l m : sum (l ++ m) = sum l + sum m.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.

Lemma sum_incl {A} (f : A -> N) l : forall m, NoDup l -> incl l m -> sum (map f l) <= sum (map f m).
Proof.
  induction l as [|x l IH]; intros m D I; simpl; [lia|]. inversion D; subst.
  destruct (in_split x m) as (m1 & m2 & ->); [apply I; now left|].
  rewrite map_app, sum_app. simpl. enough (sum (map f l) <= sum (map f (m1 ++ m2))) as H.
  { rewrite map_app, sum_app in H. lia. }
  apply IH; auto. intros y Y. specialize (I y (or_intror Y)). apply in_app_or in I. apply in_or_app.
  destruct I as [|[->|]]; auto. contradiction.
Qed.

Lemma NoDup_app_both {A} (l m : list A) : NoDup (l ++ m) -> NoDup l /\ NoDup m.
Proof.
  induction l as [|x l IH]; simpl; intros D; [split; auto; constructor|]. inversion D as [|? ? N D']; subst.
  destruct (IH D') as [A' B]. split; auto. constructor; auto. intros I. apply N. apply in_or_app. auto.
Qed.

Section Part.
Variables (P : program) (plan : slots) (d : dual).
Hypothesis ok : check_slots P plan = true.
Hypothesis right : dual_right P (waiting P) d = true.
Let mine := filter (of_part d) plan.
Let seen_as := view_of P (waiting P).

Lemma part_known b : In b (part d) -> exists y n, buffer_of P b = Some y /\ external y = false /\ size y = Bytes n.
Proof.
  intros I. unfold dual_right in right. rewrite !andb_true_iff, !forallb_forall in right.
  destruct right as [[[[[_ L] _] _] _] _]. specialize (L _ (in_map _ _ _ I)). unfold large_enough, view_of in L.
  simpl in L. destruct (buffer_of P b) as [y|]; [|discriminate]. apply andb_true_iff in L as [X L].
  destruct (size y) as [n|] eqn:S; [|discriminate]. exists y, n. split; auto. split; auto. now apply negb_true_iff.
Qed.

Lemma slot_members x : In x mine -> In x plan /\ NoDup (members x) /\ (forall b, In b (members x) -> In b (part d)).
Proof.
  intros I. apply filter_In in I as [I O]. split; auto. destruct (check_slots_total _ _ ok) as [D _]. split.
  - clear - D I. induction plan as [|y l IH]; [destruct I|]. simpl in D. apply NoDup_app_both in D as [D1 D2].
    destruct I as [->|I]; auto.
  - intros b B. destruct (member b (part d)) eqn:M; [now apply member_In|]. exfalso.
    apply existsb_exists in O as (a & A & Pa). apply member_In in Pa.
    assert (N : b <> a) by (intros ->; apply member_In in Pa; congruence).
    pose proof (members_share P plan ok x b a I B A N) as Sh.
    unfold dual_right in right. rewrite !andb_true_iff in right. destruct right as [[[[_ Sep] _] _] _].
    unfold separate in Sep. rewrite forallb_forall in Sep.
    pose proof (check_slots_slot _ _ _ ok I) as C. unfold check_slot in C.
    destruct (buffers_of P (members x)) as [found|] eqn:F; [|discriminate].
    rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[[_ L] _] _].
    destruct (buffers_of_In _ _ _ F) as (Look & _). destruct (Look b B) as (y & Y & Fy).
    assert (J : In b (filter (fun c => negb (is_external P c) && negb (member c (part d))) (numbers P))).
    { apply filter_In. split; [apply numbers_In; congruence|]. rewrite M. specialize (L y Fy). unfold lives_here in L.
      rewrite !andb_true_iff in L. unfold is_external, flag. rewrite Y. destruct L as [[L _] _]. now rewrite L. }
    specialize (Sep _ (in_map _ _ _ J)). rewrite forallb_forall in Sep. specialize (Sep _ (in_map _ _ _ Pa)).
    unfold conflict in Sep. rewrite Sh in Sep. discriminate.
Qed.

(** The room of a slot of the part is one of the widths, and each member fits. *)
Lemma slot_width x : In x mine -> In (room_bytes x) (widths P d) /\
  forall b, In b (members x) -> bytes P b <= room_bytes x.
Proof.
  intros I. destruct (slot_members x I) as (Ip & _ & Sub). pose proof (check_slots_right _ _ ok x Ip) as [R _ _ _].
  specialize (R (fun _ => 0)). unfold room_bytes. unfold largest in R.
  assert (Some_member : exists b, In b (members x)).
  { apply filter_In in I as [_ O]. apply existsb_exists in O as (b & B & _). eauto. }
  destruct Some_member as (b0 & B0).
  assert (Rm : exists n, room x = Some n).
  { pose proof (check_slots_slot _ _ _ ok Ip) as C. unfold check_slot in C.
    destruct (buffers_of P (members x)) as [found|] eqn:F; [|discriminate].
    rewrite !andb_true_iff in C. destruct C as [[[[_ Fit] _] _] _]. unfold room_fits in Fit.
    destruct (room x) as [n|]; [eauto|]. exfalso. destruct (buffers_of_In _ _ _ F) as (Look & _).
    destruct (Look b0 B0) as (y & Y & Fy). destruct (part_known b0 (Sub b0 B0)) as (z & m & Z & _ & S).
    rewrite Y in Z. injection Z as <-. destruct found as [|first more]; [discriminate|].
    destruct (size first); [discriminate|]. rewrite forallb_forall in Fit. specialize (Fit y Fy). rewrite S in Fit.
    discriminate. }
  destruct Rm as (n & E). rewrite E in *.
  assert (Le : forall b, In b (members x) -> bytes P b <= n).
  { intros b B. rewrite R. apply most_ge. apply in_map_iff. exists b. auto. }
  split; auto. unfold widths. apply nodup_In. apply in_map_iff.
  assert (Att : exists b, In b (members x) /\ bytes P b = n).
  { destruct (N.eq_dec n 0) as [->|Z].
    - exists b0. split; auto. specialize (Le b0 B0). lia.
    - destruct (most_reached (map (size_of P (fun _ => 0)) (members x)) (n - 1)) as (m & M & L); [lia|].
      apply in_map_iff in M as (b & <- & M). exists b. split; auto. specialize (Le b M). unfold bytes in *. lia. }
  destruct Att as (b & B & Eb). exists b. auto.
Qed.

(** A slot pays for its members and for the rest. *)
Lemma slot_pays x : In x mine ->
  sum (map (pay P (widths P d) d) (members x)) + rest (widths P d) d (room_bytes x) <= scale d * room_bytes x.
Proof.
  intros I. destruct (slot_members x I) as (Ip & D & Sub). destruct (slot_width x I) as [W Le].
  set (w := room_bytes x) in *. pose proof right as R. unfold dual_right in R.
  rewrite !andb_true_iff, !forallb_forall in R. destruct R as [[[_ Wt] Sp] _].
  assert (S1 : sum (map (pay P (widths P d) d) (members x)) <= sum (map (paid d w) (members x))).
  { apply sum_map_le. intros b B. unfold pay. apply least_of_le. apply in_map_iff. exists w. split; auto.
    apply filter_In. split; auto. apply N.leb_le. now apply Le. }
  assert (S2 : sum (map (paid d w) (members x)) <= spent d w).
  { apply paid_spent; auto. intros y Y _ a b A B Ka Kb. destruct (N.eq_dec a b) as [|N]; auto. exfalso.
    specialize (Wt y Y). unfold weighted_right in Wt.
    destruct (all_pairs_In _ _ _ a b Wt Ka Kb N) as [Q|Q]; unfold conflict in Q; apply negb_true_iff in Q;
      rewrite (members_share P plan ok x) in Q; auto; discriminate. }
  assert (S3 : rest (widths P d) d w <= left d w).
  { unfold rest. apply least_of_le. apply in_map. apply filter_In. split; auto. apply N.leb_refl. }
  specialize (Sp w W). apply N.leb_le in Sp. unfold left in S3. lia.
Qed.

Lemma rest_rises x t : In x mine -> t <= room_bytes x -> rest (widths P d) d t <= rest (widths P d) d (room_bytes x).
Proof.
  intros I L. destruct (slot_width x I) as [W _]. unfold rest at 2.
  assert (J : In (least_of (map (left d) (filter (N.leb (room_bytes x)) (widths P d))))
    (map (left d) (filter (N.leb (room_bytes x)) (widths P d)))).
  { apply least_of_In. intros E. apply map_eq_nil in E.
    assert (Z : In (room_bytes x) (filter (N.leb (room_bytes x)) (widths P d)))
      by (apply filter_In; split; auto; apply N.leb_refl).
    rewrite E in Z. destruct Z. }
  apply in_map_iff in J as (w & E & J). rewrite <- E. apply filter_In in J as [J K]. apply N.leb_le in K.
  unfold rest. apply least_of_le. apply in_map. apply filter_In. split; auto. apply N.leb_le. lia.
Qed.

Definition over (v : N) : N := sum (map (fun x => rest (widths P d) d (room_bytes x) - v) mine).

Lemma over_step v t : (rest (widths P d) d t - v) * N.of_nat (length (filter (fun x => N.leb t (room_bytes x)) mine)) +
  over (N.max v (rest (widths P d) d t)) <= over v.
Proof.
  unfold over.
  assert (R : forall x, In x mine -> t <= room_bytes x -> rest (widths P d) d t <= rest (widths P d) d (room_bytes x))
    by (intros; now apply rest_rises). revert R. generalize mine. intros l.
  induction l as [|x l IH]; simpl; intros R; [lia|]. specialize (IH (fun y I => R y (or_intror I))).
  specialize (R x (or_introl eq_refl)).
  destruct (t <=? room_bytes x) eqn:E; simpl length; rewrite ?Nnat.Nat2N.inj_succ.
  - apply N.leb_le in E. specialize (R E). rewrite N.mul_succ_r. lia.
  - lia.
Qed.

Lemma layers_over l : (forall c, In c l -> In c (levels d)) -> forall v, layers (widths P d) d v l <= over v.
Proof.
  induction l as [|c l IH]; intros Sub v; simpl; [lia|]. specialize (IH (fun x I => Sub x (or_intror I))).
  specialize (Sub c (or_introl eq_refl)). pose proof right as R. unfold dual_right in R.
  rewrite !andb_true_iff, !forallb_forall in R. destruct R as [_ R]. specialize (R c Sub).
  apply andb_true_iff in R as [K M]. rewrite forallb_forall in M.
  assert (C := clique_needs_slots_of P plan ok (of_part d) c K). fold mine in C.
  eapply N.le_trans; [|apply (over_step v (threshold c))]. apply N.add_le_mono; [|apply IH]. apply N.mul_le_mono_l.
  enough (length (clique_members c) <= length (filter (fun x => N.leb (threshold c) (room_bytes x)) mine))%nat by lia.
  apply C. intros x b _ B Kb. unfold of_part. apply existsb_exists. exists b. auto.
Qed.

Definition part_cost : N := sum (map room_bytes mine).

Lemma scaled_bound_sound : scaled_bound P d <= scale d * part_cost.
Proof.
  unfold scaled_bound.

   assert (A : sum (map (pay P (widths P d) d) (part d)) <=
    sum (map (fun x => sum (map (pay P (widths P d) d) (members x))) mine)).
  { assert (E : sum (map (fun x => sum (map (pay P (widths P d) d) (members x))) mine) =
      sum (map (pay P (widths P d) d) (flat_map members mine))).
    { generalize mine. intros l. induction l as [|x l IH]; simpl; auto. rewrite IH, map_app, sum_app. reflexivity. }
    rewrite E. apply sum_incl.
    - unfold dual_right in right. rewrite !andb_true_iff in right. apply distinct_NoDup. tauto.
    - intros b B. destruct (part_known b B) as (y & n & Y & X & _).
      destruct (proj2 (check_slots_total _ _ ok) b) as (x & I & M);
        [congruence|unfold is_external, flag; now rewrite Y|].
      apply in_flat_map. exists x. split; auto. apply filter_In. split; auto. apply existsb_exists. exists b.
      split; auto. now apply member_In. }
  pose proof (layers_over (levels d) (fun _ I => I) 0) as B. unfold over in B.
  assert (C : sum (map (fun x => sum (map (pay P (widths P d) d) (members x))) mine) +
      sum (map (fun x => rest (widths P d) d (room_bytes x) - 0) mine) <= scale d * part_cost); [|lia].
  unfold part_cost. assert (Sl := slot_pays). revert Sl. generalize mine. intros l Sl.
  induction l as [|x l IH]; simpl; [lia|].
  specialize (IH (fun y I => Sl y (or_intror I))). specialize (Sl x (or_introl eq_refl)).
  rewrite N.mul_add_distr_l. lia.
Qed.

Lemma unit_divides : N.divide (unit_of P d) part_cost.
Proof.
  assert (U : forall w, In w (widths P d) -> N.divide (unit_of P d) w).
  { unfold unit_of. intros w. induction (widths P d) as [|v l IH]; simpl; [tauto|]. intros [->|I].
    - apply N.gcd_divide_l.
    - eapply N.divide_trans; [apply N.gcd_divide_r|auto]. }
  unfold part_cost. assert (W := fun x I => proj1 (slot_width x I)). revert W. generalize mine. intros l W.
  induction l as [|x l IH]; simpl; [apply N.divide_0_r|]. apply N.divide_add_r; [apply U, W; now left|].
  apply IH. intros y I. apply W. now right.
Qed.

Theorem bounds_part_sound n : scale d <> 0 -> bounds_part P d n = true -> n <= part_cost.
Proof.
  intros Z H. pose proof scaled_bound_sound as B. unfold bounds_part in H. apply orb_true_iff in H as [H|H].
  - apply N.leb_le in H. apply N.mul_le_mono_pos_l with (p := scale d); lia.
  - apply N.ltb_lt in H. destruct unit_divides as (m & M). set (g := unit_of P d) in *.
    destruct (N.le_gt_cases n part_cost) as [|L]; auto. exfalso.
    assert (K : g * m <= g * ((n - 1) / g)).
    { destruct (N.eq_dec g 0) as [->|G]; [lia|]. apply N.mul_le_mono_l. apply N.div_le_lower_bound; lia. }
    apply (N.mul_le_mono_l _ _ (scale d)) in K. rewrite M in B. rewrite (N.mul_comm g m) in K. lia.
Qed.
End Part.

(** ** All parts together *)

(** A slot belongs to one part at most, so the parts' costs add up to no more than the plan's. *)
Lemma parts_cost P plan l : check_slots P plan = true ->
  (forall d, In d l -> dual_right P (waiting P) d = true) -> NoDup (flat_map part l) ->
  sum (map (part_cost plan) l) <= slots_cost plan.
Proof.
  intros ok R D.
  assert (Once : forall x, In x plan -> sum (map (fun d => if of_part d x then room_bytes x else 0) l) <= room_bytes x).
  { intros x I. clear - ok R D I. induction l as [|d l IH]; simpl; [lia|]. simpl in D.
    assert (D' := proj2 (NoDup_app_both _ _ D)). specialize (IH (fun e J => R e (or_intror J)) D').
    destruct (of_part d x) eqn:O; [|simpl; lia].
    assert (Z : sum (map (fun e => if of_part e x then room_bytes x else 0) l) = 0); [|lia].
    assert (No : forall e, In e l -> of_part e x = false).
    { intros e J. destruct (of_part e x) eqn:E; auto. exfalso. apply existsb_exists in E as (b & B & Eb).
      apply member_In in Eb.
      destruct (slot_members P plan d ok (R d (or_introl eq_refl)) x) as (_ & _ & Sub); [now apply filter_In|].
      apply in_split in J as (l1 & l2 & ->). specialize (Sub b B). rewrite flat_map_app in D. simpl in D.
      apply in_split in Sub as (p1 & p2 & Ep). rewrite Ep in D. rewrite <- app_assoc in D. simpl in D.
      apply NoDup_remove_2 in D. apply D. rewrite !in_app_iff. tauto. }
    clear - No. induction l as [|e l IH]; simpl; auto. rewrite (No e (or_introl eq_refl)).
    apply IH. intros f J. apply No. now right. }
  unfold slots_cost. fold (sum (map room_bytes plan)). revert Once. unfold part_cost. clear.
  induction plan as [|x xs IH]; intros Once; simpl.
  - clear. induction l as [|d l IHl]; simpl; [reflexivity|exact IHl].
  - specialize (IH (fun y I => Once y (or_intror I))). specialize (Once x (or_introl eq_refl)).
    enough (sum (map (fun d => sum (map room_bytes
        (if of_part d x then x :: filter (of_part d) xs else filter (of_part d) xs))) l) =
      sum (map (fun d => if of_part d x then room_bytes x else 0) l) +
      sum (map (fun d => sum (map room_bytes (filter (of_part d) xs))) l)) by lia.
    clear. induction l as [|d l IH]; simpl; auto. rewrite IH. destruct (of_part d x); simpl; lia.
Qed.

(** The bound of a certificate: no plan that the checker accepts costs less. *)
Theorem certificate_sound P plan l : check_slots P plan = true -> check_certificate P l = true ->
  sum (map snd l) <= slots_cost plan.
Proof.
  intros ok C. unfold check_certificate in C. rewrite andb_true_iff, forallb_forall in C. destruct C as [D C].
  assert (E : flat_map (fun row => part (fst row)) l = flat_map part (map fst l)).
  { clear. induction l as [|row l IH]; simpl; congruence. }
  rewrite E in D. apply distinct_NoDup in D.
  assert (R : forall d, In d (map fst l) -> dual_right P (waiting P) d = true).
  { intros d I. apply in_map_iff in I as (row & <- & I). specialize (C row I). rewrite !andb_true_iff in C. tauto. }
  eapply N.le_trans; [|apply (parts_cost P plan (map fst l) ok R D)]. rewrite map_map. apply sum_map_le.
  intros row I. specialize (C row I). rewrite !andb_true_iff in C. destruct C as [[C B] Z].
  apply (bounds_part_sound P plan (fst row) ok C); auto. apply negb_true_iff in Z. now apply N.eqb_neq.
Qed.
