; Slots by their size, without numbers: which size of slot does each buffer live in?
;
; w_0 > w_1 > ... are the distinct sizes in bytes; a slot is as large as its largest member, so these are all sizes that
; slots can have.
;   x_b_k       Bool   buffer b lives in a slot of size w_k (only for w_k at least the size of b)
;   n_k         Int    number of slots of size w_k
;   alone_b     Bool   buffer b has its slot for itself
;   own_k       Int    how many buffers of class k have their slot for themselves
;
; A clique is a set of buffers of which no two may share. Those of its members that live in slots of size w_k need one
; each, and beside them no slot of a buffer that is alone may be used. Where this holds for all cliques, the slots suffice:
; the relation "may precede in a slot" is a partial order, so buffers can be put into as many slots as the largest
; clique has members (Dilworth 1950).

; A truth value as a number, to count with.
(define-fun count ((holds Bool)) Int (ite holds 1 0))

; The buffer lives in a slot of this size, which others may use too ...
(define-fun shares ((here Bool) (alone Bool)) Bool (and here (not alone)))

; ... or has one of this size for itself, at every moment.
(define-fun owns ((here Bool) (alone Bool)) Bool (and here alone))

; The guarantee of the policy `host-exclusive`: a host-accessed buffer is together with nothing. (Others need not be alone.)
(define-fun host_exclusive_alone ((host Bool) (alone Bool)) Bool (= host alone))

; There is a slot for each member of a clique that lives in this size, beside the slots that have one owner.
;   members: how many of the clique share slots of this size; own: slots with one owner; slots: all of this size
(define-fun enough_slots ((members Int) (own Int) (slots Int)) Bool (<= (+ members own) slots))

; Known before: so many slots of at least this size are needed (a clique of buffers of at least this size). Redundant.
(define-fun known_least ((slots Int) (least Int)) Bool (<= least slots))

; What the slots of one size cost, in bytes.
(define-fun cost_of ((slots Int) (width Int)) Int (* slots width))

; The cost of the plan is within the limit, both in bytes.
(define-fun cost_at_most ((cost Int) (limit Int)) Bool (<= cost limit))
