; Arenas by the order of pieces: one Boolean per conflict, and the differences that it implies.
;
;   o_i          Int    offset of piece i in its pool, in units (the common divisor of all sizes)
;   below_i_j    Bool   piece i lies below piece j (below_i_j_n where their bytes meet in several intervals)
;
; The solver decides orders; an order has offsets iff its differences have no negative cycle. The conflicts of a
; moment make the Booleans a linear order, which the differences imply and nothing here states.

; The piece lies inside the pool.
(define-fun inside ((offset Int) (size Int) (pool Int)) Bool
  (and (<= 0 offset) (<= offset (- pool size))))

; If a lies below b, then far enough: hi is the size of a where it is live as a whole.
(define-fun far_above ((below Bool) (offset_a Int) (offset_b Int) (hi Int)) Bool
  (=> below (>= (- offset_b offset_a) hi)))

; If not, b lies far enough below a: lo is minus the size of b where it is live as a whole.
(define-fun far_below ((below Bool) (offset_a Int) (offset_b Int) (lo Int)) Bool
  (=> (not below) (<= (- offset_b offset_a) lo)))

; Bytes that it must not touch: it lies below (lo) or above (hi).
(define-fun avoids ((below Bool) (offset Int) (lo Int) (hi Int)) Bool
  (and (=> below (<= offset lo)) (=> (not below) (>= offset hi))))

; Where it was pinned.
(define-fun pinned ((offset Int) (place Int)) Bool (= offset place))

; A multiple of its alignment (in units; not written where that is 1).
(define-fun aligned ((offset Int) (alignment Int)) Bool (= (mod offset alignment) 0))

; Of pieces that nothing tells apart, the first lies below the next. (Takes nothing away: they can be swapped.)
(define-fun first_below ((below Bool)) Bool below)
