; before is transitive through a buffer with accesses.
;
; For all programs and buffers a, b, c: if before(a, b), before(b, c) and b has an access, then before(a, c).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order axioms_machine

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const c Buffer)
(assert (before a b))
(assert (before b c))
; key
(assert (accessed b))
; goal
(assert (not (before a c)))
(check-sat)
