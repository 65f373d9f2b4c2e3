; The vector clocks of sharing.smt2 say exactly what before says.
;
; For all programs and all a, b, where b has an access: done(a, e) <= seen(b, e) for every engine e iff before(a, b).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing axioms_machine axioms_clocks

(declare-const a Buffer)
(declare-const b Buffer)
; key
(assert (accessed b))
; goal
(assert (not (= (clocks_before a b) (before a b))))
; example: (assert (and (before a b) (host_accessed a) (device_accessed a) (device_accessed b)))
(check-sat)
