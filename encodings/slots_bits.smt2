; Slots by their largest member, numbers as bit-vectors.
;
; Buffers are numbered 0, 1, ... by falling size; slot_b is the number of the buffer that opens the slot of b. As
; slots_pairwise.smt2, for solvers that turn numbers into bits. encode_slots.py puts widths into the next two lines: of slot
; numbers, and of costs in units of the common divisor (wide enough for the sum of all sizes).
(define-sort Number () (_ BitVec 16))
(define-sort Cost () (_ BitVec 64))

; The slot of a buffer was opened by itself or by a buffer before it.
(define-fun numbered ((number Number) (slot Number)) Bool (bvule slot number))

; This buffer is the first of its slot.
(define-fun opens ((number Number) (slot Number)) Bool (= number slot))

; Whoever lives in the slot numbered `number` finds the buffer of that number in it.
(define-fun opened ((slot Number) (number Number) (slot_of_number Number)) Bool
  (=> (= slot number) (opens number slot_of_number)))

; Two buffers that may not share have different slots.
(define-fun separate ((slot_a Number) (slot_b Number)) Bool (not (= slot_a slot_b)))

; What a buffer adds to the cost: its size if it opens a slot.
(define-fun cost_of ((number Number) (slot Number) (size Cost) (nothing Cost)) Cost
  (ite (opens number slot) size nothing))

; The cost of the plan is within the limit.
(define-fun cost_at_most ((cost Cost) (limit Cost)) Bool (bvule cost limit))
