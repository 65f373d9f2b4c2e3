; The greedy step keeps "each slot holds a chain of before", on one queue, for a buffer that the host does not access.
;
; For all programs with one queue. The slot has members; it was last given to one whose allocation stands at `start`
; and whose last use stands at `end`. Invariant: (1) of any two members one is before the other; (2) each access of a
; member is at `end` or earlier, or earlier than `start`. (`end` alone would not do: the pass sets it to 0 where
; nothing uses the buffer.) The next candidate c, in program order, enters the slot if end < start(c). Then (1) and
; (2) hold with c as a member and the last one given the slot.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order lemmas/axioms_program lemmas/axioms_schedules

(define-fun comparable ((a Buffer) (b Buffer)) Bool (or (= a b) (before a b) (before b a)))
(define-fun over_by ((b Buffer) (end Int) (start Int)) Bool
  (forall ((x Action)) (=> (touches x b) (or (<= (at x) end) (< (at x) start)))))

; The slot, of which the invariant holds.
(declare-fun member (Buffer) Bool)
(declare-const start Int)
(declare-const end Int)
; key
(assert (forall ((a Buffer) (b Buffer)) (=> (and (member a) (member b)) (comparable a b))))
; key
(assert (forall ((a Buffer)) (=> (member a) (over_by a end start))))

; The candidate: its accesses lie between its allocation and its last use.
(declare-const c Buffer)
(declare-const start_c Int)
(declare-const end_c Int)
(assert (lives c start_c end_c))
; key
(assert (< start start_c))

; The slot is dead, as the pass sees it; and the fixed pass leaves out what the host accesses.
; key
(assert (< end start_c))
; key
(assert one_queue)
; key
(assert (not (host_accessed c)))

(define-fun member_after ((b Buffer)) Bool (or (member b) (= b c)))
; goal
(assert (not (and
  (forall ((a Buffer) (b Buffer)) (=> (and (member_after a) (member_after b)) (comparable a b)))
  (forall ((a Buffer)) (=> (member_after a) (over_by a end_c start_c))))))
; example: (assert (exists ((a Buffer) (b Buffer)) (and (distinct a b c) (member a) (member b) (accessed a))))
; example: (assert (accessed c))
(check-sat)
