; Not a lemma: the facts on clocks hold in a program with two buffers of the device and one of the host.
;
; produce (device, writes a), consume (device, writes b), store (host, writes c), on one queue e. By the clocks a is
; before b, and store comes before nothing and after nothing.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules lemmas/axioms_clocks

(declare-const produce Action)
(declare-const consume Action)
(declare-const store Action)
(declare-const a Buffer)
(declare-const b Buffer)
(declare-const c Buffer)
(declare-const e Queue)
(assert (forall ((x Action)) (or (= x produce) (= x consume) (= x store))))
(assert (and (= (at produce) 0) (= (at consume) 1) (= (at store) 2)))
(assert (forall ((x Action)) (= (on_host x) (= x store))))
(assert (distinct a b c))
(assert (forall ((x Action) (d Buffer)) (= (touches x d) (= d (ite (= x produce) a (ite (= x consume) b c))))))
(assert one_queue)
(assert (forall ((x Action) (q Queue)) (not (waits x q))))

(declare-const done_a Int)
(declare-const done_b Int)
(declare-const done_c Int)
(declare-const seen_a Int)
(declare-const seen_b Int)
(declare-const seen_c Int)
(assert (and (done_is a false e done_a) (done_is b false e done_b) (done_is c true e done_c)))
(assert (and (seen_is a false e seen_a 0) (seen_is b false e seen_b 0) (seen_is c false e seen_c 0)))
(assert (and (over_on done_a seen_b) (not (over_on done_b seen_a)) (not (over_on done_a seen_c))))
; left out: (assert (not (= seen_b 0)))
(check-sat)
