; before is irreflexive for a buffer with accesses.
;
; For all programs (each has a schedule, see order_complete.smt2) and buffers a: if a has an access, then not before(a, a).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program lemmas/axioms_schedules

(declare-const a Buffer)
(declare-const s Schedule)
; key
(assert (accessed a))
; goal
(assert (before a a))
; example: (assert (and (device_accessed a) (host_accessed a)))
(check-sat)
