; What the facts done and seen of sharing.smt2 mean. Needs order, axioms_program and axioms_schedules.
;
; An engine is the host (host_e is true; e means nothing) or the queue e. n is an ordinal, or -1.

(define-fun runs_on ((x Action) (host_e Bool) (e Queue)) Bool
  (and (= (on_host x) host_e) (or host_e (= (queue x) e))))

; n is the last ordinal at which the engine accesses the buffer; -1 if it never does.
(define-fun done_is ((b Buffer) (host_e Bool) (e Queue) (n Int)) Bool
  (and
    (forall ((x Action)) (=> (and (touches x b) (runs_on x host_e e)) (<= (at x) n)))
    (or (= n (- 1)) (exists ((x Action)) (and (touches x b) (runs_on x host_e e) (= (at x) n))))))

; All actions of the engine up to n have finished before any access of the buffer, in every schedule.
(define-fun over_up_to ((b Buffer) (host_e Bool) (e Queue) (n Int)) Bool
  (forall ((x Action) (y Action)) (=> (and (touches y b) (runs_on x host_e e) (<= (at x) n)) (hb x y))))

; n is such an ordinal, or -1 if there is none. If the buffer has accesses and `other` is such an ordinal too, n is as
; large. (That n is the largest says the same of every `other`. The lemmas need it of one only, so they assume less.)
(define-fun seen_is ((b Buffer) (host_e Bool) (e Queue) (n Int) (other Int)) Bool
  (and (<= (- 1) n) (over_up_to b host_e e n)
    (=> (and (accessed b) (over_up_to b host_e e other)) (<= other n))))
