; Slots by their largest member, one Boolean per pair (the representative form).
;
; Buffers are numbered by falling size.
;   x_i_j    Bool   buffer j lives in the slot that i opens (i = j: it opens its own), i no later in the numbering than j
; Which pairs may not share comes in as facts. Quadratic in variables, cubic in clauses, without symmetric plans.

; A buffer lives in some slot: one of these holds.
(define-fun housed ((own Bool) (other Bool)) Bool (or own other))

; Who lives in the slot of i finds i in it.
(define-fun opened ((inside Bool) (opens Bool)) Bool (=> inside opens))

; Two buffers that may not share are not both in the slot of i.
(define-fun separate ((inside_a Bool) (inside_b Bool)) Bool (not (and inside_a inside_b)))

; What a slot adds to the cost if it is opened: the size of its largest member, in units of the common divisor.
(define-fun cost_of ((opens Bool) (size Int)) Int (ite opens size 0))

; The cost of the plan is within the limit, both in units.
(define-fun cost_at_most ((cost Int) (limit Int)) Bool (<= cost limit))
