(** What is proven, all in one place, and of what it depends: nothing ("Closed under the global context"). *)
Require Import List NArith.
Require Import Model Machine Order Lives Safety Slots Arena Bounds Duals Race.
Open Scope N_scope.

(** An accepted slot plan is safe: sharing does not show in any schedule, for any semantics of the ops, from any initial
    memory, whatever sizes known only at run time turn out to be. *)
Theorem slot_plans_are_safe : forall P plan, check_slots P plan = true ->
  forall run_time, sharing_unseen P run_time (place_of plan).
Proof. exact check_slots_safe. Qed.

(** Its slots are large enough and no larger, aligned, in the right space; what is pinned is alone. *)
Theorem slot_plans_are_right : forall P plan, check_slots P plan = true -> forall x, In x plan -> slot_right P x.
Proof. exact check_slots_right. Qed.

(** An accepted arena plan is safe. *)
Theorem arena_plans_are_safe : forall P plan, check_arena P plan = true ->
  forall run_time, sharing_unseen P run_time (address_of plan).
Proof. exact check_arena_safe. Qed.

(** Any placement is safe in which buffers with a byte in common are ordered and not the caller's. *)
Theorem ordered_placements_are_safe : forall P run_time place,
  shares_in_order P run_time place -> sharing_unseen P run_time place.
Proof. exact in_order_unseen. Qed.

(** The checker's comparison of two buffers is exact. *)
Theorem comparison_is_exact : forall P a b,
  life_before (life_of P (waiting P) a) (life_of P (waiting P) b) = true <-> before P a b.
Proof. split; [apply life_before_sound|apply life_before_exact]. Qed.

(** No accepted slot plan costs less than the clique bound, and no accepted arena less than the sizes of a clique. *)
Theorem clique_bounds_slots : forall P plan, check_slots P plan = true ->
  forall l n, slots_bound P l = Some n -> n <= slots_cost plan.
Proof. exact slots_bound_sound. Qed.

Theorem clique_bounds_arenas : forall P plan c n, check_arena P plan = true ->
  arena_bound P c = Some n -> n <= arena_cost plan.
Proof. exact arena_bound_sound. Qed.

(** The same for a whole certificate, with multipliers (docs/certificates.md): the parts' bounds add up to no more. *)
Theorem certificates_bound_slots : forall P plan l, check_slots P plan = true -> check_certificate P l = true ->
  sum (map snd l) <= slots_cost plan.
Proof. exact certificate_sound. Qed.

(** And what the checker refuses may be a race: the greedy pass's plan of Race.v, which sharing breaks. *)
Theorem a_greedy_plan_is_unsafe :
  check_slots (race nil) shared_slot = false /\ ~ sharing_unseen (race nil) (fun _ => 0) (place_of shared_slot).
Proof. exact (conj refused greedy_plan_is_unsafe). Qed.

Print Assumptions slot_plans_are_safe.
Print Assumptions slot_plans_are_right.
Print Assumptions arena_plans_are_safe.
Print Assumptions ordered_placements_are_safe.
Print Assumptions comparison_is_exact.
Print Assumptions clique_bounds_slots.
Print Assumptions clique_bounds_arenas.
Print Assumptions certificates_bound_slots.
Print Assumptions a_greedy_plan_is_unsafe.
