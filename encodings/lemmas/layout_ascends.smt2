; Slots laid out one behind the other do not overlap, however many there are.
;
; For all plans and all i < j <= slots: base(i) + room(i) <= base(j), if no room is negative. By induction on j: were
; it false for some j, there would be a least one, for which it is true of j - 1.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: sharing lemmas/axioms_layout

(declare-const i Int)
(declare-const j Int)
; key
(assert (forall ((k Int)) (=> (and (<= 0 k) (< k slots)) (<= 0 (room k)))))
; goal
(assert (and (not (ascends i j)) (ascends i (- j 1))))
; counterexample: (assert (= slots 2))
; example: (assert (< 3 slots))
(check-sat)
