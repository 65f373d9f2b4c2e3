; The facts of sharing.smt2 that stand for happens-before: done and seen, per buffer and engine. Needs order, sharing and
; axioms_machine. An engine is the host, or a queue.

; The last ordinal at which the engine accesses the buffer; -1 if never.
(declare-fun done_host (Buffer) Int)
(declare-fun done_on (Buffer Queue) Int)
(define-fun last_access ((b Buffer) (e_host Bool) (e Queue) (done Int)) Bool
  (and
    (forall ((x Action))
      (=> (and (touches x b) (= (on_host x) e_host) (or e_host (= (queue x) e))) (<= (at x) done)))
    (or (= done (- 1))
      (exists ((x Action))
        (and (touches x b) (= (on_host x) e_host) (or e_host (= (queue x) e)) (= (at x) done))))))
(assert (forall ((b Buffer) (e Queue))
  (and (last_access b true e (done_host b)) (last_access b false e (done_on b e)))))

; All actions of the engine up to this ordinal have finished before any access of the buffer, in every schedule.
(define-fun over_up_to ((b Buffer) (e_host Bool) (e Queue) (n Int)) Bool
  (forall ((x Action) (y Action))
    (=> (and (touches y b) (= (on_host x) e_host) (or e_host (= (queue x) e)) (<= (at x) n)) (hb x y))))

; The largest such ordinal; -1 if there is none. That it is the largest is asserted for one n only, the `done` of
; another buffer: fewer assumptions, so what follows from them holds all the more.
(declare-fun seen_host (Buffer) Int)
(declare-fun seen_on (Buffer Queue) Int)
(define-fun largest ((a Buffer) (b Buffer) (e_host Bool) (e Queue) (done Int) (seen Int)) Bool
  (and (<= (- 1) seen) (over_up_to b e_host e seen)
    (=> (and (accessed b) (over_up_to b e_host e done)) (<= done seen))))
(assert (forall ((a Buffer) (b Buffer) (e Queue))
  (and
    (largest a b true e (done_host a) (seen_host b))
    (largest a b false e (done_on a e) (seen_on b e)))))

; An engine has one action for one op.
(assert (forall ((x Action) (y Action))
  (=> (and (= (at x) (at y)) (= (on_host x) (on_host y)) (or (on_host x) (= (queue x) (queue y)))) (= x y))))

; `over_on` for all engines: what smtalloc computes for "every access of a happens before every access of b".
(define-fun clocks_before ((a Buffer) (b Buffer)) Bool
  (and (over_on (done_host a) (seen_host b)) (forall ((e Queue)) (over_on (done_on a e) (seen_on b e)))))
