; before is transitive through a buffer with accesses.
;
; For all programs and buffers a, b, c: if before(a, b), before(b, c) and b has an access, then before(a, c).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program lemmas/axioms_schedules

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const c Buffer)
(assert (before a b))
(assert (before b c))
; key
(assert (accessed b))
; goal
(assert (not (before a c)))
; example: (assert (and (accessed a) (accessed c)))
(check-sat)
