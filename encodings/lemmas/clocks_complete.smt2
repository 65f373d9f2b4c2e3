; Vector clocks are complete: if before(a, b) and b has an access, then done(a, e) <= seen(b, e) for every engine e.
;
; For all programs and all a, b. e is any engine: the host, or a queue. An engine has one action for one op.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules lemmas/axioms_clocks

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const host_e Bool)
(declare-const e Queue)
(declare-const done_a Int)
(declare-const seen_b Int)
(assert (done_is a host_e e done_a))
(assert (seen_is b host_e e seen_b done_a))
; key
(assert (forall ((x Action) (y Action)) (=> (and (runs_on x host_e e) (runs_on y host_e e) (= (at x) (at y))) (= x y))))
; key
(assert (accessed b))
; key
(assert (before a b))
; goal
(assert (not (over_on done_a seen_b)))
; example: (assert (and (not host_e) (<= 0 done_a)))
(check-sat)
