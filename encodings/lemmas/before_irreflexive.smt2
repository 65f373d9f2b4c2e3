; before is irreflexive for a buffer with accesses.
;
; For all programs and buffers a: if a has an access, then not before(a, a). (Each program has a schedule:
; order_complete.smt2 writes one down.)
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
