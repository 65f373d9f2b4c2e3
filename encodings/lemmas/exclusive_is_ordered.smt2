; Happens-before is the weaker rule: on one queue it allows every pair that host-exclusive allows.
;
; For all programs with one queue, e, and all a, b: if program_order and host_exclusive let a and b be together, then
; so does happens_before, as smtalloc states it (over_on for the host and for e, in one of the two directions).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules lemmas/axioms_clocks

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const first_a Int)
(declare-const last_a Int)
(declare-const first_b Int)
(declare-const last_b Int)
(assert (lives a first_a last_a))
(assert (lives b first_b last_b))
; key
(assert one_queue)

(declare-const e Queue)
(declare-const done_a_host Int)
(declare-const done_a_e Int)
(declare-const seen_a_host Int)
(declare-const seen_a_e Int)
(declare-const done_b_host Int)
(declare-const done_b_e Int)
(declare-const seen_b_host Int)
(declare-const seen_b_e Int)
(assert (done_is a true e done_a_host))
(assert (done_is a false e done_a_e))
(assert (seen_is a true e seen_a_host done_b_host))
(assert (seen_is a false e seen_a_e done_b_e))
(assert (done_is b true e done_b_host))
(assert (done_is b false e done_b_e))
(assert (seen_is b true e seen_b_host done_a_host))
(assert (seen_is b false e seen_b_e done_a_e))

; key
(assert (program_order true first_a last_a first_b last_b))
; key
(assert (host_exclusive true (host_accessed a) (device_accessed a) (host_accessed b) (device_accessed b)))
; goal
(assert (not (happens_before true
  (and (over_on done_a_host seen_b_host) (over_on done_a_e seen_b_e))
  (and (over_on done_b_host seen_a_host) (over_on done_b_e seen_a_e)))))
; example: (assert (exists ((x Action) (y Action)) (and (forall ((z Action)) (or (= z x) (= z y))) (= (at x) 0) (= (at y) 1) (not (on_host x)) (not (on_host y)) (forall ((c Buffer)) (and (= (touches x c) (= c a)) (= (touches y c) (= c b)))))))
; example: (assert (and (= done_a_host (- 1)) (= done_a_e 0) (= seen_a_host (- 1)) (= seen_a_e (- 1))))
; example: (assert (and (= done_b_host (- 1)) (= done_b_e 1) (= seen_b_host (- 1)) (= seen_b_e 0)))
(check-sat)
