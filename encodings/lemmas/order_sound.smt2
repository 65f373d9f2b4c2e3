; The rules of happens-before hold in every schedule, and so does what follows from them.
;
; For all programs and all actions x, y, z: if x is before y in program order and x is on the host, or both are on one
; queue, or y is of the host and waits for the queue of x, or y awaits an event that x recorded, then x is over before
; y begins, in every schedule. And if x hb y and y hb z, then x hb z: so everything in the closure of the rules holds.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program lemmas/axioms_schedules

(declare-const x Action)
(declare-const y Action)
(declare-const z Action)
; key
(assert (or (step x z) (and (hb x y) (hb y z))))
; goal
(assert (not (hb x z)))
; counterexample: (assert (and (not (on_host x)) (on_host z) (< (at x) (at z))))
; example: (assert (and (not (on_host x)) (not (on_host z)) (not (= (queue x) (queue z)))))
(check-sat)
