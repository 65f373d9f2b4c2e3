; Arenas by offsets: integers and differences.
;
; o_i is the offset of piece i in its pool: Int, in units (the common divisor of all sizes; a comment of the text says how
; many bytes). Two pieces that must not meet are one above the other, whichever it is: a disjunction of two differences,
; left to the solver's difference logic. Conflicts come in as pairs; nothing here knows of time.

; The piece lies inside the pool.
(define-fun inside ((offset Int) (size Int) (pool Int)) Bool
  (and (<= 0 offset) (<= offset (- pool size))))

; The difference of two offsets is in none of the open intervals (lo, hi) in which bytes of both would meet. For two
; pieces that are live as a whole, lo is minus the size of the second and hi the size of the first.
(define-fun apart ((offset_a Int) (offset_b Int) (lo Int) (hi Int)) Bool
  (or (<= (- offset_b offset_a) lo) (>= (- offset_b offset_a) hi)))

; No byte of the piece is among those that it must not touch: its offset is not in an open interval.
(define-fun avoids ((offset Int) (lo Int) (hi Int)) Bool
  (or (<= offset lo) (>= offset hi)))

; Where it was pinned.
(define-fun pinned ((offset Int) (place Int)) Bool (= offset place))

; A multiple of its alignment (in units; not written where that is 1).
(define-fun aligned ((offset Int) (alignment Int)) Bool (= (mod offset alignment) 0))

; Of pieces that nothing tells apart, the first lies below the next. (Takes nothing away: they can be swapped.)
(define-fun first_below ((offset_a Int) (size_a Int) (offset_b Int)) Bool
  (>= (- offset_b offset_a) size_a))
