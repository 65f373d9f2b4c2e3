; Vector clocks are sound: if done(a, e) <= seen(b, e) for every engine e, then before(a, b).
;
; For all programs and all a, b. done and seen are the facts of sharing.smt2 (of seen only that all up to it is over).
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules lemmas/axioms_clocks

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const done_a_host Int)
(declare-const seen_b_host Int)
(declare-fun done_a (Queue) Int)
(declare-fun seen_b (Queue) Int)
(assert (forall ((x Action)) (=> (and (touches x a) (on_host x)) (<= (at x) done_a_host))))
(assert (forall ((x Action)) (=> (and (touches x a) (not (on_host x))) (<= (at x) (done_a (queue x))))))
(assert (forall ((e Queue)) (and (over_up_to b true e seen_b_host) (over_up_to b false e (seen_b e)))))
; key
(assert (over_on done_a_host seen_b_host))
; key
(assert (forall ((e Queue)) (over_on (done_a e) (seen_b e))))
; goal
(assert (not (before a b)))
; example: (assert (and (host_accessed a) (device_accessed a) (device_accessed b)))
(check-sat)
