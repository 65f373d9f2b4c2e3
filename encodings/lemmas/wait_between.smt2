; With any number of queues, a wait between two lives orders them.
;
; For all programs and all a, b: if the life of a ends before that of b begins, and between the two the host waits for
; every queue that accesses a, then before(a, b). (Exclusion is then not needed at all.)
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const wait Action)
(declare-const first_a Int)
(declare-const last_a Int)
(declare-const first_b Int)
(declare-const last_b Int)
(assert (lives a first_a last_a))
(assert (lives b first_b last_b))
(assert (on_host wait))
; key
(assert (< last_a (at wait) first_b))
; key
(assert (forall ((x Action)) (=> (and (touches x a) (not (on_host x))) (waits wait (queue x)))))
; goal
(assert (not (before a b)))
; example: (assert (and (device_accessed a) (host_accessed a) (device_accessed b) (host_accessed b)))
(check-sat)
