; A wait in the body of a loop orders its iterations.
;
; For all loops (any body, any number of iterations) whose body waits, at one place, for every queue that accesses a,
; and all a, b: if in the body all accesses of a stand before the wait, or all of b behind it, then every access of a
; in one iteration happens before every access of b in any later iteration. With a = b: the iterations may use the
; same memory.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program lemmas/axioms_schedules

; Actions are those of all iterations; place is the place in the body.
(declare-fun iteration (Action) Int)
(declare-fun place (Action) Int)
(assert (forall ((x Action) (y Action))
  (=> (or (< (iteration x) (iteration y)) (and (= (iteration x) (iteration y)) (< (place x) (place y))))
    (< (at x) (at y)))))

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const x Action)
(declare-const y Action)
(assert (and (touches x a) (touches y b) (< (iteration x) (iteration y))))

; The waits of the two iterations. (There is one in each; the lemma needs no other.)
(declare-const place_of_wait Int)
(declare-const wait_x Action)
(declare-const wait_y Action)
(assert (and (= (iteration wait_x) (iteration x)) (= (place wait_x) place_of_wait) (on_host wait_x)))
(assert (and (= (iteration wait_y) (iteration y)) (= (place wait_y) place_of_wait) (on_host wait_y)))
; key
(assert (or
  (forall ((z Action)) (=> (touches z a) (< (place z) place_of_wait)))
  (forall ((z Action)) (=> (touches z b) (< place_of_wait (place z))))))
; key
(assert (forall ((z Action))
  (=> (and (touches z a) (not (on_host z))) (and (waits wait_x (queue z)) (waits wait_y (queue z))))))
; goal
(assert (not (hb x y)))
; example: (assert (and (= a b) (not (on_host x)) (on_host y)))
(check-sat)
