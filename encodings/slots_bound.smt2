; Why no plan costs less: the evidence of a certificate (docs/certificates.md), as a question that must be unsat.
;
; A clique is a set of buffers of which no two may share. w_0 > w_1 > ... are the distinct sizes in bytes of the buffers of
; one part; a slot is as large as its largest member, so these are all sizes that slots can have.
;   together_a_b   Bool   buffers a and b are in one slot (sharing.smt2 says when they may)
;   slots_k        Int    number of slots of size w_k or more
;   x_b_k          Int    1 if buffer b lives in a slot of size w_k exactly, else 0 (only in parts with multipliers or a refutation)
; Any plan gives these their values. So if they cannot have any at a cost below the bound, no plan costs less.

; The members of a clique need a slot each.
;   apart: no two of them are together, and each is large enough; members: how many there are, or how many of them live in slots of one size;
;   slots: the number of slots of the clique's size or more, or of that one size
(define-fun a_slot_each ((apart Bool) (members Int) (slots Int)) Bool (=> apart (<= members slots)))

; A buffer counts for slots of this size or more only if it needs one (bytes).
(define-fun large ((size Int) (least Int)) Bool (<= least size))

; Slots of a larger size are among those of w_k or more.
(define-fun among ((larger Int) (slots Int)) Bool (<= larger slots))

; How many slots have this size exactly: those of w_k or more without those of more than w_k.
(define-fun of_this_size ((slots Int) (larger Int)) Int (- slots larger))

; A buffer lives in slots of a size or does not ...
(define-fun zero_or_one ((x Int)) Bool (and (<= 0 x) (<= x 1)))

; ... and lives in slots of one size, of those that it fits.
(define-fun lives_once ((places Int)) Bool (= places 1))

; The slots of a part cost less than its bound, both in the same unit (layer_cost, slots_class.smt2, for the cost).
(define-fun cheaper ((cost Int) (bound Int)) Bool (< cost bound))
