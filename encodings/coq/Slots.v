(** The checker of slot plans: smtalloc/check.py, for the part that safety needs. *)
Require Import List Arith NArith Bool Lia.
Require Import Model Machine Order Lives Safety.
Import ListNotations.
Open Scope N_scope.

(** A slot and what is said of it ([ClaimedSlot]).  [room]: its bytes; None if known only at run time. *)
Record slot := Slot { room : option N; slot_alignment : N; slot_space : N; members : list N }.

(** A plan ([plan.Slots]): slots are numbered by their place. *)
Definition slots := list slot.

(** Buffers live at offset 0 of their slot.  A buffer in no slot has memory of its own. *)
Fixpoint slot_of (n : N) (plan : slots) (b : N) : N :=
  match plan with
  | [] => n + b
  | x :: more => if member b (members x) then n else slot_of (N.succ n) more b
  end.
Definition place_of (plan : slots) (b : N) : address := (slot_of 0 plan b, 0).

(** What a slot must hold in one run: its largest member. *)
Definition largest (P : program) (run_time : N -> N) (x : slot) : N := most (map (size_of P run_time) (members x)).

(** ** The checker *)

Definition same_extent (d e : extent) : bool :=
  match d, e with
  | Bytes m, Bytes n => m =? n
  | RunTime j, RunTime k => j =? k
  | _, _ => false
  end.

(** The room is that of the largest member; where sizes are known only at run time, all are equal. *)
Definition room_fits (x : slot) (found : list buffer) : bool :=
  match room x with
  | Some n =>
      forallb (fun b => match size b with Bytes m => m <=? n | RunTime _ => false end) found &&
      existsb (fun b => same_extent (size b) (Bytes n)) found
  | None =>
      match found with
      | first :: _ =>
          match size first with
          | Bytes _ => false
          | RunTime _ => forallb (fun b => same_extent (size first) (size b)) found
          end
      | [] => false
      end
  end.

Definition lives_here (x : slot) (b : buffer) : bool :=
  negb (external b) && divides (alignment b) (slot_alignment x) && (space b =? slot_space x).

(** The buffers of a list of numbers; None if one does not exist. *)
Fixpoint buffers_of (P : program) (l : list N) : option (list buffer) :=
  match l with
  | [] => Some []
  | b :: more =>
      match buffer_of P b, buffers_of P more with
      | Some x, Some found => Some (x :: found)
      | _, _ => None
      end
  end.

Definition check_slot (P : program) (table : list (engine * list N)) (x : slot) : bool :=
  match buffers_of P (members x) with
  | None => false
  | Some found =>
      power_of_two (slot_alignment x) && room_fits x found && forallb (lives_here x) found &&
      (negb (existsb pinned found) || Nat.eqb (length found) 1) &&
      all_pairs in_order (map (life_of P table) (members x))
  end.

(** Every allocation is in one slot, nothing is in two, and each slot is right. *)
Definition check_slots (P : program) (plan : slots) : bool :=
  let table := waiting P in
  let all := flat_map members plan in
  distinct all &&
  forallb (fun b => is_external P b || member b all) (numbers P) &&
  forallb (check_slot P table) plan.

(** ** It is right *)

Lemma buffers_of_In P l : forall found, buffers_of P l = Some found ->
  (forall b, In b l -> exists x, buffer_of P b = Some x /\ In x found) /\
  (forall x, In x found -> exists b, In b l /\ buffer_of P b = Some x) /\ length found = length l.
Proof.
  induction l as [|c l IH]; simpl; intros found E.
  - injection E as <-. repeat split; simpl; tauto.
  - destruct (buffer_of P c) as [y|] eqn:C; [|discriminate]. destruct (buffers_of P l) as [more|]; [|discriminate].
    injection E as <-. destruct (IH more eq_refl) as (A & B & L). repeat split; simpl; [| |lia].
    + intros b [<-|I]; [exists y; auto|]. destruct (A b I) as (x & X & J). exists x. auto.
    + intros x [<-|I]; [exists c; auto|]. destruct (B x I) as (b & J & X). exists b. auto.
Qed.

Lemma slot_of_ge plan : forall n b, n <= slot_of n plan b.
Proof.
  induction plan as [|x plan IH]; simpl; intros n b; [lia|]. destruct (member b (members x)); [lia|].
  specialize (IH (N.succ n) b). lia.
Qed.

(** Two buffers in one place are members of one slot. *)
Lemma slot_of_eq plan : forall n a b, slot_of n plan a = slot_of n plan b -> a <> b ->
  exists x, In x plan /\ In a (members x) /\ In b (members x).
Proof.
  induction plan as [|x plan IH]; simpl; intros n a b E N; [lia|].
  pose proof (slot_of_ge plan (N.succ n)) as G.
  destruct (member a (members x)) eqn:A, (member b (members x)) eqn:B.
  - exists x. rewrite !member_In in *. auto.
  - specialize (G b). lia.
  - specialize (G a). lia.
  - destruct (IH _ _ _ E N) as (y & I & H). exists y. auto.
Qed.

Lemma check_slots_slot P plan x : check_slots P plan = true -> In x plan -> check_slot P (waiting P) x = true.
Proof. unfold check_slots. rewrite !andb_true_iff, !forallb_forall. intros [_ H]. apply H. Qed.

Theorem check_slots_in_order P plan : check_slots P plan = true ->
  forall run_time, shares_in_order P run_time (place_of plan).
Proof.
  intros H run_time a b N (k & l & _ & _ & E). unfold byte, place_of in E. simpl in E. injection E as E _.
  destruct (slot_of_eq _ _ _ _ E N) as (x & I & A & B). pose proof (check_slots_slot _ _ _ H I) as C.
  unfold check_slot in C. destruct (buffers_of P (members x)) as [found|] eqn:F; [|discriminate].
  rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[[_ L] _] O].
  destruct (buffers_of_In _ _ _ F) as (Look & _).
  assert (Ext : forall c, In c (members x) -> is_external P c = false).
  { intros c J. destruct (Look c J) as (y & Y & K). specialize (L y K). unfold lives_here in L.
    rewrite !andb_true_iff in L. destruct L as [[L _] _]. unfold is_external, flag. rewrite Y.
    now apply negb_true_iff. }
  split; [auto|]. split; [auto|].
  destruct (all_pairs_In _ _ _ a b O A B N) as [Q|Q]; apply in_order_sound in Q; tauto.
Qed.

(** The theorem: a plan that the checker accepts is safe, whatever the sizes at run time are. *)
Theorem check_slots_safe P plan : check_slots P plan = true ->
  forall run_time, sharing_unseen P run_time (place_of plan).
Proof. intros H run_time. apply in_order_unseen, check_slots_in_order, H. Qed.

(** And each slot is what it must be: as large as its largest member, aligned for each (wherever its own alignment
    puts it), in the right memory space; every allocation has one; what is pinned is alone. *)
Record slot_right (P : program) (x : slot) : Prop := {
  room_is : forall run_time, match room x with
    | Some n => n = largest P run_time x
    | None => forall b, In b (members x) -> size_of P run_time b = largest P run_time x
    end;
  aligned : forall b y base, In b (members x) -> buffer_of P b = Some y -> N.divide (slot_alignment x) base ->
    N.divide (alignment y) base;
  in_space : forall b y, In b (members x) -> buffer_of P b = Some y -> space y = slot_space x;
  alone : forall b y, In b (members x) -> buffer_of P b = Some y -> pinned y = true -> members x = [b]
}.

Lemma most_const n l : l <> [] -> (forall m, In m l -> m = n) -> most l = n.
Proof.
  induction l as [|m l IH]; [congruence|]. intros _ H. simpl. rewrite (H m) by (simpl; auto).
  destruct l as [|o l]; [simpl; lia|]. rewrite IH; [lia|discriminate|]. intros p I. apply H. now right.
Qed.

Lemma most_is n l : In n l -> (forall m, In m l -> m <= n) -> most l = n.
Proof.
  intros I H. apply N.le_antisymm; [|now apply most_ge]. apply N.le_ngt. intros L.
  apply most_reached in L as (m & J & L). specialize (H m J). lia.
Qed.

Theorem check_slots_right P plan : check_slots P plan = true -> forall x, In x plan -> slot_right P x.
Proof.
  intros H x I. pose proof (check_slots_slot _ _ _ H I) as C.
  unfold check_slot in C. destruct (buffers_of P (members x)) as [found|] eqn:F; [|discriminate].
  rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[[[_ R] L] A] _].
  destruct (buffers_of_In _ _ _ F) as (Look & Back & Len).
  assert (Here : forall b y, In b (members x) -> buffer_of P b = Some y -> In y found /\ lives_here x y = true).
  { intros b y J E. destruct (Look b J) as (z & Z & K). rewrite E in Z. injection Z as <-. auto. }
  assert (Size : forall rt b y, buffer_of P b = Some y -> size_of P rt b = bytes_of rt (size y))
    by (intros rt b y E; unfold size_of; now rewrite E).
  split.
  - intros rt. unfold room_fits in R. destruct (room x) as [n|].
    + apply andb_true_iff in R as [U E]. rewrite forallb_forall in U. apply existsb_exists in E as (y & J & E).
      unfold largest. symmetry. apply most_is.
      * destruct (Back y J) as (b & K & B). apply in_map_iff. exists b. split; auto. rewrite (Size rt b y B).
        destruct (size y); simpl in *; [now apply N.eqb_eq|discriminate].
      * intros m M. apply in_map_iff in M as (b & <- & M). destruct (Look b M) as (z & Z & K).
        rewrite (Size rt b z Z). specialize (U z K). destruct (size z); [now apply N.leb_le|discriminate].
    + destruct found as [|first more]; [discriminate|]. destruct (size first) as [|key] eqn:S; [discriminate|].
      rewrite forallb_forall in R.
      assert (All : forall b, In b (members x) -> size_of P rt b = rt key).
      { intros b J. destruct (Look b J) as (y & Y & K). rewrite (Size rt b y Y). specialize (R y K).
        destruct (size y); simpl in *; [discriminate|]. apply N.eqb_eq in R. now subst. }
      intros b J. rewrite (All b J). symmetry. apply most_const.
      * intros E. destruct (members x); [destruct J|discriminate].
      * intros m M. apply in_map_iff in M as (c & <- & M). auto.
  - intros b y base J E D. destruct (Here b y J E) as [_ K]. unfold lives_here in K. rewrite !andb_true_iff in K.
    destruct K as [[_ K] _]. apply divides_spec in K as [_ K]. eapply N.divide_trans; eauto.
  - intros b y J E. destruct (Here b y J E) as [_ K]. unfold lives_here in K. rewrite !andb_true_iff in K.
    now apply N.eqb_eq.
  - intros b y J E Q. destruct (Here b y J E) as [K _]. apply orb_true_iff in A as [A|A].
    + apply negb_true_iff in A. rewrite <- not_true_iff_false in A. exfalso. apply A. apply existsb_exists. eauto.
    + apply Nat.eqb_eq in A. rewrite Len in A. destruct (members x) as [|c [|]]; simpl in A; try lia.
      destruct J as [<-|[]]. reflexivity.
Qed.

Theorem check_slots_total P plan : check_slots P plan = true ->
  NoDup (flat_map members plan) /\
  forall b, buffer_of P b <> None -> is_external P b = false -> exists x, In x plan /\ In b (members x).
Proof.
  unfold check_slots. rewrite !andb_true_iff, !forallb_forall. intros [[D T] _]. split; [now apply distinct_NoDup|].
  intros b E X. apply numbers_In in E. specialize (T b E). rewrite X in T. simpl in T. apply member_In in T.
  apply in_flat_map in T as (x & I & J). exists x. auto.
Qed.
