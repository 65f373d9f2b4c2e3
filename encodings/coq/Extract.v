(** The checkers as OCaml, with binary numbers; driver.ml reads programs and plans for them. *)
Require Import NArith.
Require Import Model Slots Arena Bounds Duals.
Require Extraction.
Require Import ExtrOcamlBasic.
Extraction Language OCaml.
Extraction "checker.ml" check_slots slots_bound slots_cost check_arena arena_bound arena_cost
  check_certificate N.add N.mul N.div_eucl.
