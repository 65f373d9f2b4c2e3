; Slots by their size, without numbers: which size of slot does each buffer live in?
;
; w_0 > w_1 > ... are the distinct sizes in bytes; a slot is as large as its largest member, so these are all sizes that
; slots can have.
;   x_b_k       Bool   buffer b lives in a slot of size w_k (only for w_k at least the size of b)
;   extra_k_i   Bool   there are more than i slots of size w_k or more beyond those that are known to be needed
;   slots_k     Int    number of slots of size w_k or more (in encode.py's text: defined from extra_k_i)
;   alone_b     Bool   buffer b has its slot for itself
;   own_k       Int    how many buffers in slots of size w_k have their slot for themselves
;
; A clique is a set of buffers of which no two may share. Those of its members that live in slots of size w_k need one
; each, and beside them no slot of a buffer that is alone may be used. Where this holds for all cliques, the slots suffice:
; the relation "may precede in a slot" is a partial order, so buffers can be put into as many slots as the largest
; clique has members (Dilworth 1950).

; A truth value as a number, to count with.
(define-fun count ((holds Bool)) Int (ite holds 1 0))

; The extra slots are counted from the first on, so that there is one way to say how many there are.
(define-fun counted ((more Bool) (fewer Bool)) Bool (=> more fewer))

; The buffer lives in a slot of this size, which others may use too ...
(define-fun shares ((here Bool) (alone Bool)) Bool (and here (not alone)))

; ... or has one of this size for itself, at every moment.
(define-fun owns ((here Bool) (alone Bool)) Bool (and here alone))

; The guarantee of the policy `host-exclusive`: a host-accessed buffer is together with nothing. (Others need not be alone.)
(define-fun host_exclusive_alone ((host Bool) (alone Bool)) Bool (= host alone))

; There is a slot for each member of a clique that lives in this size, beside the slots that have one owner.
;   members: how many of the clique share slots of size w_k; own: slots of that size with one owner;
;   slots, larger: slots of size w_k or more, and of more than w_k
(define-fun enough_slots ((members Int) (own Int) (slots Int) (larger Int)) Bool
  (<= (+ members own) (- slots larger)))

; What a layer of the slots costs: each slot of size w_k or more pays the step from the next smaller size to w_k.
; step and cost are in units (the common divisor of all sizes, in bytes, stands in a comment of the text)
(define-fun layer_cost ((slots Int) (step Int)) Int (* step slots))

; The cost of the plan is within the limit, both in the same unit.
(define-fun cost_at_most ((cost Int) (limit Int)) Bool (<= cost limit))
