; Any program: its facts, and what its schedules must keep. Needs order.
;
; The facts are uninterpreted: any number of actions, buffers and queues, and whatever these functions say of them, is a
; program. The caller's use of a returned buffer is one more action of the host.

(declare-sort Action 0)
(declare-sort Buffer 0)
(declare-sort Queue 0)

; Place in host program order (`Action.ordinal`), from 0. Actions of one op have the same, and nothing orders those.
(declare-fun at (Action) Int)
(assert (forall ((x Action)) (<= 0 (at x))))

; Who runs it: the host, or else a queue (which means nothing for an action of the host).
(declare-fun on_host (Action) Bool)
(declare-fun queue (Action) Queue)

; A host action may wait for queues before it does anything else.
(declare-fun waits (Action Queue) Bool)

; The second action awaits an event that the first one, which comes before it in program order, recorded (and no later
; one before the second).
(declare-fun signals (Action Action) Bool)

; The action reads or writes the buffer.
(declare-fun touches (Action Buffer) Bool)

; --- what a schedule keeps: order.smt2 applied to the times of one action, and of two

; An action of the device is issued, starts and finishes; for an action of the host the three are one moment.
(define-fun keeps_own ((x Action) (issued Int) (started Int) (finished Int)) Bool
  (ite (on_host x)
    (= issued started finished)
    (and (issued_before_start issued started) (takes_time started finished))))

; If x comes first in program order: the host reaches x first; a queue of both runs x first; a wait by y is for x too;
; an event that y awaits is over when x is, if x recorded it.
(define-fun keeps_order ((x Action) (y Action) (issued_x Int) (finished_x Int) (issued_y Int) (started_y Int)) Bool
  (=> (< (at x) (at y))
    (and
      (host_program_order issued_x issued_y)
      (=> (and (not (on_host x)) (not (on_host y)) (= (queue x) (queue y))) (in_order_queue finished_x started_y))
      (=> (and (not (on_host x)) (on_host y) (waits y (queue x))) (host_waits finished_x started_y))
      (=> (signals x y) (event_awaited finished_x started_y)))))

; --- words for the lemmas

; x happens before y by one of the rules of docs/model.md: from the host; on one queue; to who waits for the queue of x;
; to who awaits what x recorded. Happens-before is the closure of these.
(define-fun step ((x Action) (y Action)) Bool
  (and (< (at x) (at y))
    (or (on_host x)
      (and (not (on_host y)) (= (queue x) (queue y)))
      (and (on_host y) (waits y (queue x)))
      (signals x y))))
(define-fun same_engine ((x Action) (y Action)) Bool
  (and (= (on_host x) (on_host y)) (or (on_host x) (= (queue x) (queue y)))))

(define-fun accessed ((b Buffer)) Bool (exists ((x Action)) (touches x b)))
(define-fun host_accessed ((b Buffer)) Bool (exists ((x Action)) (and (touches x b) (on_host x))))
(define-fun device_accessed ((b Buffer)) Bool (exists ((x Action)) (and (touches x b) (not (on_host x)))))

; The buffer lives from ordinal first to ordinal last, both included (-1 and -1: it has no access).
(define-fun lives ((b Buffer) (first Int) (last Int)) Bool
  (forall ((x Action)) (=> (touches x b) (and (<= first (at x)) (<= (at x) last)))))

; There is one queue.
(define-fun one_queue () Bool (forall ((p Queue) (q Queue)) (= p q)))
