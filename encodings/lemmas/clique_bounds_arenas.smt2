; The clique bound holds for arenas: the sizes of buffers of which no two may share sum to no more than any pool.
;
; For all arena plans and all cliques. Taken in order of their places, each member begins behind the sum of those
; before it; the pool ends behind all. By induction on j: at the least j where that failed, it would be true of j - 1.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)

; Sizes and places are bytes.
(declare-sort Buffer 0)
(declare-fun size (Buffer) Int)
(assert (forall ((b Buffer)) (<= 0 (size b))))
(declare-fun may_share (Buffer Buffer) Bool)

; The arena plan: every buffer is inside the pool, and two that may not share have no byte in common.
(declare-const pool Int)
(declare-fun offset (Buffer) Int)
(define-fun end ((b Buffer)) Int (+ (offset b) (size b)))
(assert (forall ((b Buffer)) (and (<= 0 (offset b)) (<= (end b) pool))))
; key
(assert (forall ((a Buffer) (b Buffer))
  (=> (and (distinct a b) (not (may_share a b))) (or (<= (end a) (offset b)) (<= (end b) (offset a))))))

; The clique: member(0), ..., member(many - 1), by rising offset and, where equal, rising end. sum(j) is the size of the
; first j of them.
(declare-const many Int)
(declare-fun member (Int) Buffer)
(declare-fun sum (Int) Int)
(assert (= (sum 0) 0))
(assert (forall ((j Int)) (=> (and (< 0 j) (<= j many)) (= (sum j) (+ (sum (- j 1)) (size (member (- j 1))))))))
(assert (forall ((i Int) (j Int))
  (=> (and (<= 0 i) (< i j) (< j many))
    (and (<= (offset (member i)) (offset (member j)))
      (=> (= (offset (member i)) (offset (member j))) (<= (end (member i)) (end (member j))))))))
(assert (forall ((i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j many)) (distinct (member i) (member j)))))
; key
(assert (forall ((i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j many)) (not (may_share (member i) (member j))))))

(define-fun covered ((j Int)) Bool (<= (sum j) (ite (< j many) (offset (member j)) pool)))
(declare-const j Int)
; goal
(assert (and (<= 0 j) (<= j many) (not (covered j)) (=> (< 0 j) (covered (- j 1)))))
; counterexample: (assert (and (= many 2) (not (covered many))))
; example: (assert (and (= many 2) (< 0 (size (member 0))) (< 0 (size (member 1)))))
(check-sat)
