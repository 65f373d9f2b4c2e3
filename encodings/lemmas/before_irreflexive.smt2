; before is irreflexive for a buffer with accesses.
;
; For all programs (each has a schedule) and buffers a: if a has an access, then not before(a, a).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order axioms_machine

(declare-const a Buffer)
(declare-const s Schedule)
; key
(assert (accessed a))
; goal
(assert (before a a))
(check-sat)
