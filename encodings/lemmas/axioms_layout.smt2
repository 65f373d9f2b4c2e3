; Any plan with slots, and the slots laid out one behind the other.
;
; Sizes, rooms and places are bytes. Slots are numbered from 0.

(declare-sort Buffer 0)
(declare-fun size (Buffer) Int)
(assert (forall ((b Buffer)) (<= 0 (size b))))

; Are the two allowed to be in common memory? (order.smt2 and sharing.smt2 say when; here it may be any relation.)
(declare-fun may_share (Buffer Buffer) Bool)

; The plan: how many slots, how large each, who lives where.
(declare-const slots Int)
(declare-fun room (Int) Int)
(declare-fun slot (Buffer) Int)
(assert (<= 0 slots))
(assert (forall ((b Buffer)) (and (<= 0 (slot b)) (< (slot b) slots))))
(assert (forall ((b Buffer)) (fits true (size b) (room (slot b)))))

; Where a slot begins. base(slots), where the last one ends, is the cost of the plan: room(0) + ... + room(slots - 1).
(declare-fun base (Int) Int)
(assert (= (base 0) 0))
(assert (forall ((k Int)) (=> (and (< 0 k) (<= k slots)) (= (base k) (+ (base (- k 1)) (room (- k 1)))))))
(define-fun cost () Int (base slots))

; Slot i ends before slot j begins (or the plan ends): layout_ascends.smt2 proves it of all i and j.
(define-fun ascends ((i Int) (j Int)) Bool
  (=> (and (<= 0 i) (< i j) (<= j slots)) (<= (+ (base i) (room i)) (base j))))
