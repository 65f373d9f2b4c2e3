(** Programs: buffers, accesses, actions.  The same names as in smtalloc/program.py and docs/model.md.

    Numbers are binary ([N]): bytes, byte offsets, ordinals, and the numbers of buffers, queues and memory spaces. *)
Require Import List NArith Bool Lia.
Import ListNotations.
Open Scope N_scope.

(** Who runs an action: the host, or an in-order device queue ([Action.engine]). *)
Inductive engine := Host | Queue (q : N).

Definition engine_eqb (d e : engine) : bool :=
  match d, e with
  | Host, Host => true
  | Queue p, Queue q => p =? q
  | _, _ => false
  end.

(** Bytes [lo, hi) of a buffer; [hi = None] is up to its end ([Access]).  An access is a permission: what the action
    really touches may be any part of it, and may depend on the values that it reads ([Access.may]). *)
Record access := Access { buf : N; lo : N; hi : option N }.

(** One action ([Action]).  [waits]: the queues that a host action waits for before it does anything else.  Actions of
    one op have the same ordinal, and nothing orders those among themselves. *)
Record action := Action {
  ordinal : N;
  on : engine;
  reads : list access;
  writes : list access;
  waits : list N
}.

(** A size in bytes: a number, or one known only at run time.  Equal keys are equal sizes ([Buffer.size_key]). *)
Inductive extent := Bytes (n : N) | RunTime (key : N).

(** Root memory ([Buffer]).  [external]: it comes from outside (arguments, globals), is never moved, and is live at both
    ends.  [live_out]: allocated here and returned.  [pinned]: it must have memory of its own. *)
Record buffer := Buffer {
  size : extent;
  alignment : N;
  space : N;
  external : bool;
  live_out : bool;
  pinned : bool
}.

(** A function.  Buffers are named by their place in the list. *)
Record program := Program { buffers : list buffer; actions : list action }.

(** ** Facts of a program *)

(** The element of a list at a place.  (No detour by unary numbers: places come from files and may be large.) *)
Fixpoint nth {A} (l : list A) (n : N) : option A :=
  match l with [] => None | x :: more => if n =? 0 then Some x else nth more (N.pred n) end.

Definition buffer_of (P : program) (b : N) : option buffer := nth (buffers P) b.

(** [run_time k] is the size, in one run, that the key [k] stands for. *)
Definition bytes_of (run_time : N -> N) (e : extent) : N :=
  match e with Bytes n => n | RunTime key => run_time key end.

Definition size_of (P : program) (run_time : N -> N) (b : N) : N :=
  match buffer_of P b with Some x => bytes_of run_time (size x) | None => 0 end.

Definition flag (get : buffer -> bool) (P : program) (b : N) : bool :=
  match buffer_of P b with Some x => get x | None => false end.
Definition is_external := flag external.
Definition is_live_out := flag live_out.

(** Is byte [k] of buffer [b] among the bytes of an access? *)
Definition covers (x : access) (b k : N) : Prop :=
  buf x = b /\ lo x <= k /\ match hi x with Some h => k < h | None => True end.

(** Does the action read or write the buffer? *)
Definition uses (a : action) (b : N) : bool := existsb (fun x => buf x =? b) (reads a ++ writes a).

(** Who touches memory: the actions of the function, by their place in the list, and for each buffer that the caller
    has at the end (live out, or external) the caller. *)
Inductive actor := Act (i : nat) | Caller (b : N).

Definition handed_over (P : program) (b : N) : bool := is_live_out P b || is_external P b.

Definition touches (P : program) (i : actor) (b : N) : Prop :=
  match i with
  | Act n => exists a, nth_error (actions P) n = Some a /\ uses a b = true
  | Caller c => c = b /\ handed_over P b = true
  end.

(** May the actor read (write) byte [k] of buffer [b]?  The caller may do anything to what it has. *)
Definition may_access (get : action -> list access) (P : program) (i : actor) (b k : N) : Prop :=
  match i with
  | Act n => exists a x, nth_error (actions P) n = Some a /\ In x (get a) /\ covers x b k
  | Caller c => c = b /\ handed_over P b = true
  end.

Lemma nth_nth_error {A} (l : list A) : forall n, nth l n = nth_error l (N.to_nat n).
Proof.
  induction l as [|x l IH]; simpl; intros n; [now destruct (N.to_nat n)|].
  destruct (N.eqb_spec n 0) as [->|Z]; [reflexivity|]. rewrite IH, N2Nat.inj_pred.
  destruct (N.to_nat n) eqn:E; [lia|reflexivity].
Qed.

Lemma engine_eqb_eq d e : engine_eqb d e = true <-> d = e.
Proof.
  destruct d, e; simpl; rewrite ?N.eqb_eq; split; intros; try congruence; try discriminate.
Qed.

Lemma uses_In a b : uses a b = true <-> exists x, In x (reads a ++ writes a) /\ buf x = b.
Proof.
  unfold uses. rewrite existsb_exists. split; intros (x & I & E); exists x; split; auto; apply N.eqb_eq; auto.
Qed.

(** Who may access a byte of a buffer touches the buffer. *)
Lemma may_access_touches P i b k :
  may_access reads P i b k \/ may_access writes P i b k -> touches P i b.
Proof.
  destruct i as [n|c]; simpl; [|tauto].
  intros [(a & x & E & I & C & _)|(a & x & E & I & C & _)]; exists a; split; auto;
    apply uses_In; exists x; split; auto; apply in_or_app; auto.
Qed.
