; Slots whose rooms are multiples of an alignment begin at multiples of it.
;
; For all plans and all slots j. `multiple` says of a number that it is one; of that only what is used is assumed: 0
; is one, and the sum of two is one. By induction on j, as in layout_ascends.smt2.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: sharing lemmas/axioms_layout

(declare-const j Int)
(declare-fun multiple (Int) Bool)
(assert (multiple 0))
(assert (=> (and (multiple (base (- j 1))) (multiple (room (- j 1)))) (multiple (+ (base (- j 1)) (room (- j 1))))))
; key
(assert (forall ((k Int)) (=> (and (<= 0 k) (< k slots)) (multiple (room k)))))
; goal
(assert (and (<= 0 j) (<= j slots) (not (multiple (base j))) (=> (< 0 j) (multiple (base (- j 1))))))
; example: (assert (and (< 1 slots) (not (multiple 7))))
(check-sat)
