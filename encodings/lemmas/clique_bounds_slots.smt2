; The clique bound holds for slots: the sizes of buffers of which no two may share sum to no more than the cost.
;
; For all slot plans and all cliques. Taken in order of their slots, each member's slot begins behind the sum of those
; before it; the last slot ends behind all. By induction, as in clique_bounds_arenas.smt2; layout_ascends.smt2 is
; taken as proven.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: sharing slots_pairwise lemmas/axioms_layout

(assert (forall ((k Int)) (=> (and (<= 0 k) (< k slots)) (<= 0 (room k)))))
(assert (forall ((i Int) (j Int)) (ascends i j)))
; key
(assert (forall ((a Buffer) (b Buffer)) (=> (and (distinct a b) (co_located (slot a) (slot b))) (may_share a b))))

; The clique: member(0), ..., member(many - 1), by rising slot; sum(j) is the size of the first j members.
(declare-const many Int)
(declare-fun member (Int) Buffer)
(declare-fun sum (Int) Int)
(assert (= (sum 0) 0))
(assert (forall ((j Int)) (=> (and (< 0 j) (<= j many)) (= (sum j) (+ (sum (- j 1)) (size (member (- j 1))))))))
(assert (forall ((i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j many)) (<= (slot (member i)) (slot (member j))))))
(assert (forall ((i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j many)) (distinct (member i) (member j)))))
; key
(assert (forall ((i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j many)) (not (may_share (member i) (member j))))))

(define-fun covered ((j Int)) Bool (<= (sum j) (ite (< j many) (base (slot (member j))) cost)))
(declare-const j Int)
; goal
(assert (and (<= 0 j) (<= j many) (not (covered j)) (=> (< 0 j) (covered (- j 1)))))
; counterexample: (assert (and (= many 2) (= slots 1) (not (covered many))))
; example: (assert (and (= many 2) (< 0 (size (member 0))) (< 0 (size (member 1)))))
(check-sat)
