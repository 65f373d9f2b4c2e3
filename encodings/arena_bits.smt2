; Arenas by offsets: bit-vectors, which a solver turns into propositional logic.
;
; o_i is the offset of piece i in its pool, in units (the common divisor of all sizes). An address has so many bits that
; no sum of an offset and a distance wraps: 2 * pool < 2^width. encode_arena.py puts the width into the next line.
(define-sort Address () (_ BitVec 64))

; The piece lies inside the pool; `last` is the pool less the piece's size.
(define-fun inside ((offset Address) (last Address)) Bool (bvule offset last))

; The second offset is at least the first plus a distance.
(define-fun beyond ((offset Address) (distance Address) (other Address)) Bool
  (bvule (bvadd offset distance) other))

; The second offset is at most the first plus a distance.
(define-fun within ((offset Address) (distance Address) (other Address)) Bool
  (bvule other (bvadd offset distance)))

; Two pieces must not meet: one of the two holds.
(define-fun apart ((a_then_b Bool) (b_then_a Bool)) Bool (or a_then_b b_then_a))

; Bytes that it must not touch: its offset is not strictly between these places.
(define-fun avoids ((offset Address) (lo Address) (hi Address)) Bool
  (or (bvule offset lo) (bvule hi offset)))

; Its offset is at least this, where the bytes that it must not touch begin the pool.
(define-fun starts_at ((offset Address) (hi Address)) Bool (bvule hi offset))

; Where it was pinned.
(define-fun pinned ((offset Address) (place Address)) Bool (= offset place))

; A multiple of its alignment (in units; not written where that is 1).
(define-fun aligned ((offset Address) (alignment Address)) Bool
  (= (bvurem offset alignment) (bvsub alignment alignment)))
