; Happens-before is the weaker rule: on one queue it allows every pair that host-exclusive allows.
;
; For all programs with one queue and all a, b: if program_order and host_exclusive let a and b be together, then so does
; happens_before, as smtalloc states it (over_on for all engines).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing axioms_machine axioms_clocks

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const first_a Int)
(declare-const last_a Int)
(declare-const first_b Int)
(declare-const last_b Int)
(assert (lives a first_a last_a))
(assert (lives b first_b last_b))
(assert one_queue)
(assert (program_order true first_a last_a first_b last_b))
; key
(assert (host_exclusive true (host_accessed a) (device_accessed a) (host_accessed b) (device_accessed b)))
; goal
(assert (not (happens_before true (clocks_before a b) (clocks_before b a))))
; example: (assert (and (device_accessed a) (device_accessed b)))
(check-sat)
