; The greedy step keeps "each slot holds a chain of before", on one queue and without host-accessed buffers.
;
; For all programs with one queue. The slot holds members; it was last given to `latest`, and `end` is the last use of
; that. Invariant: (1) of two members one is before the other; (2) each access of a member is at most at `end`, or
; comes before the start of `latest`. (`end` alone would not do: it is 0 where nothing uses `latest`.) The next
; candidate c, in program order, enters a slot with end < start(c). Then (1) and (2) hold for the members and c, with
; c as the latest and its last use as the end.
(set-info :smt-lib-version 2.6)
(set-info :status unsat)
(set-logic UFLIA)
; needs: order sharing axioms_machine

(declare-fun member (Buffer) Bool)
(define-fun chain () Bool
  (forall ((a Buffer) (b Buffer)) (=> (and (member a) (member b)) (or (= a b) (before a b) (before b a)))))
(define-fun over_by ((b Buffer) (end Int) (start Int)) Bool
  (forall ((x Action)) (=> (touches x b) (or (<= (at x) end) (< (at x) start)))))

(declare-const end Int)
(declare-const start Int)
(assert chain)
(assert (forall ((m Buffer)) (=> (member m) (over_by m end start))))

; The candidate: its accesses lie between the allocation and its last use. Candidates come in program order.
(declare-const c Buffer)
(declare-const start_c Int)
(declare-const end_c Int)
(assert (lives c start_c end_c))
(assert (< start start_c))

; The slot is dead, as the pass sees it; and the fixed pass leaves host-accessed buffers out.
(assert (< end start_c))
(assert one_queue)
(assert (forall ((m Buffer)) (=> (member m) (not (host_accessed m)))))
; key
(assert (not (host_accessed c)))

; goal
(assert (not (forall ((m Buffer)) (=> (member m)
  (and (or (= m c) (before m c) (before c m)) (over_by m end_c start_c) (over_by c end_c start_c))))))
(check-sat)
