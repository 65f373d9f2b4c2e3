(** The checker of arena plans: buffers at byte offsets in pools, one pool or more per memory space. *)
Require Import List Arith NArith Bool Lia.
Require Import Model Machine Order Lives Safety.
Import ListNotations.
Open Scope N_scope.

(** A pool: its bytes, the alignment of its first byte, and its memory space. *)
Record pool := Pool { pool_bytes : N; pool_alignment : N; pool_space : N }.

(** A plan ([plan.Arena]).  [homes]: for each buffer its pool and its byte offset there; None for what comes from
    outside. *)
Record arena := Arena { pools : list pool; homes : list (option (N * N)) }.

Definition home_of (plan : arena) (b : N) : option (N * N) :=
  match nth (homes plan) b with Some found => found | None => None end.

(** Without a home in a pool, a buffer has memory of its own. *)
Definition address_of (plan : arena) (b : N) : address :=
  match home_of plan b with
  | Some home => home
  | None => (N.of_nat (length (pools plan)) + b, 0)
  end.

(** ** The checker *)

(** A buffer of known size in its home, inside its pool, with its alignment and space. *)
Definition home_right (plan : arena) (y : buffer) (home : option (N * N)) : bool :=
  match home, size y with
  | None, _ => external y
  | Some _, RunTime _ => false
  | Some (p, offset), Bytes n =>
      match nth (pools plan) p with
      | None => false
      | Some x =>
          negb (external y) && (offset + n <=? pool_bytes x) && divides (alignment y) (pool_alignment x) &&
          divides (alignment y) offset && (space y =? pool_space x)
      end
  end.

(** All that the comparison of two buffers needs: pool, offset, end, pinned, life. *)
Record resident := Resident { res_pool : N; res_lo : N; res_hi : N; res_pinned : bool; res_life : life }.

Definition resident_of (P : program) (table : list (engine * list N)) (plan : arena) (b : N) : resident :=
  let (p, offset) := address_of plan b in
  let n := size_of P (fun _ => 0) b in
  Resident p offset (offset + n) (flag pinned P b) (life_of P table b).

Definition apart_or_ordered (x y : resident) : bool :=
  negb (res_pool x =? res_pool y) ||
  (negb (res_pinned x) && negb (res_pinned y) &&
    ((N.min (res_hi x) (res_hi y) <=? N.max (res_lo x) (res_lo y)) || in_order (res_life x) (res_life y))).

(** Is the buffer one of those that the plan places? *)
Definition placed (plan : arena) (b : N) : bool := match home_of plan b with Some _ => true | None => false end.

Definition check_arena (P : program) (plan : arena) : bool :=
  let table := waiting P in
  Nat.eqb (length (homes plan)) (length (buffers P)) &&
  forallb (fun x => power_of_two (pool_alignment x)) (pools plan) &&
  forallb (fun row => home_right plan (fst row) (snd row)) (combine (buffers P) (homes plan)) &&
  all_pairs apart_or_ordered (map (resident_of P table plan) (filter (placed plan) (numbers P))).

Definition arena_cost (plan : arena) : N := fold_right N.add 0 (map pool_bytes (pools plan)).

(** ** It is right *)

Lemma combine_nth {A B} (l : list A) (m : list B) n x y :
  nth_error l n = Some x -> nth_error m n = Some y -> In (x, y) (combine l m).
Proof.
  revert m n. induction l as [|a l IH]; intros [|b m] [|n]; simpl; try discriminate.
  - intros E F. injection E as ->. injection F as ->. now left.
  - intros E F. right. eapply IH; eauto.
Qed.

Section Accepted.
Variables (P : program) (plan : arena).
Hypothesis ok : check_arena P plan = true.

Lemma home_ok b y : buffer_of P b = Some y -> home_right plan y (home_of plan b) = true.
Proof.
  intros Y. unfold check_arena in ok. rewrite !andb_true_iff, !forallb_forall in ok. destruct ok as [[[L _] H] _].
  apply Nat.eqb_eq in L. unfold buffer_of in Y. unfold home_of. pose proof Y as Yn. rewrite nth_nth_error in Yn.
  rewrite nth_nth_error.
  destruct (nth_error (homes plan) (N.to_nat b)) as [h|] eqn:E.
  - apply (H (y, h)). eapply combine_nth; [exact Yn|exact E].
  - exfalso. apply nth_error_None in E. rewrite L in E. apply nth_error_None in E. congruence.
Qed.

(** A buffer with a home is inside, of known size, and in a pool of the plan. *)
Lemma home_inside b y p o : buffer_of P b = Some y -> home_of plan b = Some (p, o) ->
  exists n x, size y = Bytes n /\ nth (pools plan) p = Some x /\ external y = false /\
    o + n <= pool_bytes x /\ N.divide (alignment y) (pool_alignment x) /\ N.divide (alignment y) o /\
    space y = pool_space x.
Proof.
  intros Y H. pose proof (home_ok b y Y) as R. rewrite H in R. unfold home_right in R.
  destruct (size y) as [n|]; [|discriminate]. destruct (nth (pools plan) p) as [x|] eqn:E; [|discriminate].
  rewrite !andb_true_iff, negb_true_iff, N.leb_le, N.eqb_eq in R. destruct R as [[[[X F] A] B] S].
  apply divides_spec in A as [_ A]. apply divides_spec in B as [_ B]. exists n, x. auto 8.
Qed.

Lemma home_external b y : buffer_of P b = Some y -> home_of plan b = None -> external y = true.
Proof. intros Y H. pose proof (home_ok b y Y) as R. now rewrite H in R. Qed.

Lemma size_known rt b : home_of plan b <> None -> size_of P rt b = size_of P (fun _ => 0) b.
Proof.
  intros H. unfold size_of. destruct (buffer_of P b) as [y|] eqn:Y; auto.
  destruct (home_of plan b) as [[p o]|] eqn:E; [|congruence].
  destruct (home_inside b y p o Y E) as (n & x & S & _). now rewrite S.
Qed.

(** A buffer in a byte of another has a home: those of outside are alone in their memory. *)
Lemma overlap_placed rt a b : a <> b -> overlap (address_of plan) (size_of P rt) a b ->
  exists y, buffer_of P a = Some y /\ placed plan a = true /\ external y = false.
Proof.
  intros N (k & l & K & L & E). unfold size_of in K, L. destruct (buffer_of P a) as [y|] eqn:A; [|lia].
  destruct (buffer_of P b) as [z|] eqn:B; [|lia]. exists y. split; auto. unfold placed.
  unfold byte, address_of in E.
  destruct (home_of plan a) as [[p o]|] eqn:HA.
  { split; auto. destruct (home_inside a y p o A HA) as (n & x & _ & _ & X & _). exact X. }
  exfalso. destruct (home_of plan b) as [[q r]|] eqn:HB; simpl in E; injection E as E E'; [|lia].
  destruct (home_inside b z q r B HB) as (n & x & _ & X & _).
  rewrite nth_nth_error in X. assert (nth_error (pools plan) (N.to_nat q) <> None) as Q by congruence.
  apply nth_error_Some in Q. lia.
Qed.

Lemma placed_In b y : buffer_of P b = Some y -> placed plan b = true -> In b (filter (placed plan) (numbers P)).
Proof. intros Y H. apply filter_In. split; auto. apply numbers_In. congruence. Qed.

(** What the checker has found of two residents, if they have a byte in common. *)
Lemma overlap_ordered rt a b : placed plan a = true -> placed plan b = true ->
  overlap (address_of plan) (size_of P rt) a b ->
  apart_or_ordered (resident_of P (waiting P) plan a) (resident_of P (waiting P) plan b) = true ->
  in_order (life_of P (waiting P) a) (life_of P (waiting P) b) = true.
Proof.
  intros HA HB (k & l & K & L & E) R.
  assert (Sz : forall c, placed plan c = true -> size_of P rt c = size_of P (fun _ => 0) c).
  { intros c H. apply size_known. unfold placed in H. destruct (home_of plan c); [congruence|discriminate]. }
  rewrite (Sz a HA) in K. rewrite (Sz b HB) in L. unfold byte in E. apply pair_equal_spec in E as [E1 E2].
  unfold apart_or_ordered, resident_of in R. destruct (address_of plan a) as [p o], (address_of plan b) as [q r].
  simpl in *. subst q. rewrite N.eqb_refl in R. simpl in R. apply andb_true_iff in R as [_ R].
  apply orb_true_iff in R as [R|R]; [apply N.leb_le in R; lia|exact R].
Qed.

Lemma in_order_sym x y : in_order x y = in_order y x.
Proof. apply orb_comm. Qed.

Lemma overlap_in_order rt a b : a <> b -> overlap (address_of plan) (size_of P rt) a b ->
  in_order (life_of P (waiting P) a) (life_of P (waiting P) b) = true.
Proof.
  intros N O.
  assert (O' : overlap (address_of plan) (size_of P rt) b a) by (destruct O as (k & l & ? & ? & ?); exists l, k; auto).
  destruct (overlap_placed rt a b N O) as (y & Y & HA & _).
  destruct (overlap_placed rt b a (not_eq_sym N) O') as (z & Z & HB & _).
  pose proof ok as C. unfold check_arena in C. rewrite !andb_true_iff in C. destruct C as [_ C].
  destruct (all_pairs_In _ _ _ a b C (placed_In a y Y HA) (placed_In b z Z HB) N) as [R|R].
  - eapply overlap_ordered; eauto.
  - rewrite in_order_sym. eapply overlap_ordered; eauto.
Qed.

Theorem check_arena_in_order : forall run_time, shares_in_order P run_time (address_of plan).
Proof.
  intros rt a b N O.
  assert (O' : overlap (address_of plan) (size_of P rt) b a) by (destruct O as (k & l & ? & ? & ?); exists l, k; auto).
  destruct (overlap_placed rt a b N O) as (y & Y & _ & XA).
  destruct (overlap_placed rt b a (not_eq_sym N) O') as (z & Z & _ & XB).
  unfold is_external, flag. rewrite Y, Z. split; auto. split; auto.
  apply in_order_sound. eapply overlap_in_order; eauto.
Qed.

(** The theorem: an arena plan that the checker accepts is safe. *)
Theorem check_arena_safe : forall run_time, sharing_unseen P run_time (address_of plan).
Proof. intros rt. apply in_order_unseen, check_arena_in_order. Qed.

(** And each buffer is inside its pool, in the right memory space, and aligned wherever the pool's alignment puts the
    pool; what is pinned is alone in its pool. *)
Theorem check_arena_right b y : buffer_of P b = Some y -> external y = false ->
  exists p o x n, home_of plan b = Some (p, o) /\ nth (pools plan) p = Some x /\ size y = Bytes n /\
    o + n <= pool_bytes x /\ space y = pool_space x /\
    (forall base, N.divide (pool_alignment x) base -> N.divide (alignment y) (base + o)) /\
    (pinned y = true -> forall c q r, home_of plan c = Some (q, r) -> buffer_of P c <> None -> c <> b -> q <> p).
Proof.
  intros Y X. destruct (home_of plan b) as [[p o]|] eqn:H.
  2: { rewrite (home_external b y Y H) in X. discriminate. }
  destruct (home_inside b y p o Y H) as (n & x & S & E & _ & F & A & B & Sp). exists p, o, x, n.
  do 5 (split; [auto|]). split.
  - intros base D. apply N.divide_add_r; [|exact B]. apply N.divide_trans with (pool_alignment x); [exact A|exact D].
  - intros Pin c q r C Ec N ->. pose proof ok as K. unfold check_arena in K. rewrite !andb_true_iff in K.
    destruct K as [_ K].
    assert (Hb : In b (filter (placed plan) (numbers P))).
    { apply filter_In. split; [apply numbers_In; congruence|]. unfold placed. now rewrite H. }
    assert (Hc : In c (filter (placed plan) (numbers P))).
    { apply filter_In. split; [now apply numbers_In|]. unfold placed. now rewrite C. }
    destruct (all_pairs_In _ _ _ c b K Hc Hb N) as [R|R]; unfold apart_or_ordered, resident_of, address_of in R;
      rewrite H, C in R; simpl in R; rewrite N.eqb_refl in R; simpl in R; unfold flag in R; rewrite Y, Pin in R;
      simpl in R; rewrite ?andb_false_r in R; discriminate.
Qed.
End Accepted.
