; A slot plan is an arena plan of the same cost.
;
; For all slot plans: with offset(b) = base(slot(b)) and a pool of `cost` bytes, every buffer is inside the pool, and
; any two that have a byte in common may share. layout_ascends.smt2 is taken as proven.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: sharing slots_pairwise lemmas/axioms_layout

(assert (forall ((k Int)) (=> (and (<= 0 k) (< k slots)) (<= 0 (room k)))))
(assert (forall ((i Int) (j Int)) (ascends i j)))

; The arena plan.
(define-fun offset ((b Buffer)) Int (base (slot b)))
(define-fun inside ((b Buffer)) Bool (and (<= 0 (offset b)) (<= (+ (offset b) (size b)) cost)))
(define-fun common_byte ((a Buffer) (b Buffer)) Bool
  (and (< 0 (size a)) (< 0 (size b)) (< (offset a) (+ (offset b) (size b))) (< (offset b) (+ (offset a) (size a)))))
; key
(assert (forall ((a Buffer) (b Buffer)) (=> (and (distinct a b) (co_located (slot a) (slot b))) (may_share a b))))
; goal
(assert (not (forall ((a Buffer) (b Buffer))
  (and (inside a) (=> (and (distinct a b) (common_byte a b)) (may_share a b))))))
; example: (assert (exists ((a Buffer) (b Buffer)) (and (distinct a b) (common_byte a b) (< 1 (slot a)))))
(check-sat)
