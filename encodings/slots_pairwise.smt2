; Slots by their largest member.
;
; Buffers are numbered 0, 1, ... from the largest down. slot_b is the number of the first buffer in the slot of b: its
; largest member, which `opens` the slot and gives it its size. So each plan is written in exactly one way. The relation
; is stated pair by pair, which is easy to read and to take apart; for more than some tens of buffers see slots_class.smt2.

; Two buffers are in one slot.
(define-fun co_located ((slot_a Int) (slot_b Int)) Bool (= slot_a slot_b))

; The slot of a buffer was opened by itself or by a buffer before it.
;   number: of the buffer; slot: its slot
(define-fun numbered ((number Int) (slot Int)) Bool (and (<= 0 slot) (<= slot number)))

; This buffer is the first of its slot.
(define-fun opens ((number Int) (slot Int)) Bool (= number slot))

; Whoever lives in the slot numbered `number` finds the buffer of that number in it.
(define-fun opened ((inside Bool) (number Int) (slot Int)) Bool (=> inside (opens number slot)))

; What a buffer adds to the cost, in bytes: its size if it opens a slot.
(define-fun cost_of ((number Int) (slot Int) (size Int)) Int (ite (opens number slot) size 0))

; The cost of the plan is within the limit, both in bytes.
(define-fun cost_at_most ((cost Int) (limit Int)) Bool (<= cost limit))

; The members so far of a slot with many, taken as one buffer: its life runs from the earliest first access to the latest
; last one, it is host-accessed if any of them is, and so on. A definition of sharing.smt2 that holds between this buffer and
; the next member holds between each of them and the next member.
(define-fun earlier ((x Int) (y Int)) Int (ite (< x y) x y))
(define-fun later ((x Int) (y Int)) Int (ite (< x y) y x))
