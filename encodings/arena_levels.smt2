; Arenas by levels: Booleans alone (the order encoding of integers; Tamura et al., "Compiling finite linear CSP into SAT",
; Constraints 14, 2009).
;
;   at_i_k       Bool   the offset of piece i is at least k units, k = 1 ... (pool - size of i)
;   below_i_j    Bool   piece i lies below piece j
;
; One unit is the common divisor of all sizes, so this is for pools of some hundred units. It is also the text that
; certificates refute (docs/certificates.md).

; At least k + 1 is at least k.
(define-fun falls ((more Bool) (less Bool)) Bool (=> more less))

; No offset of exactly k: it is less, or more. (Pins, alignment, bytes that must not be touched.)
(define-fun skips ((at_least Bool) (beyond Bool)) Bool (=> at_least beyond))

; In this order of two pieces, the lower one at k or more pushes the upper one to k plus its size or more.
(define-fun pushes ((order Bool) (lower Bool) (upper Bool)) Bool (=> (and order lower) upper))
