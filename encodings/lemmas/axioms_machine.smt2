; Any program on any machine: the axioms of order.smt2 for all actions. Needs order.
;
; A program is any choice of the program's facts below: any number of actions, buffers and queues. A schedule is any
; choice of times that keeps the axioms; all models together are all programs with all sets of their schedules.
; That the caller uses a returned buffer is one more action.

(declare-sort Action 0)
(declare-sort Buffer 0)
(declare-sort Queue 0)
(declare-sort Schedule 0)

; --- the program

; Place in host program order (`Action.ordinal`), from 0. Actions of one op may have the same; nothing orders those.
(declare-fun at (Action) Int)
(assert (forall ((x Action)) (<= 0 (at x))))

; Who runs it: the host, or else a queue (which means nothing for an action of the host).
(declare-fun on_host (Action) Bool)
(declare-fun queue (Action) Queue)

; A host action may wait for queues before it does anything else.
(declare-fun waits (Action Queue) Bool)

; The action reads or writes the buffer.
(declare-fun touches (Action Buffer) Bool)

; --- its schedules

; An action of the device is issued, starts and finishes; for an action of the host the three are one moment.
(declare-fun issued (Schedule Action) Int)
(declare-fun started (Schedule Action) Int)
(declare-fun finished (Schedule Action) Int)
(assert (forall ((s Schedule) (x Action))
  (=> (on_host x) (and (= (issued s x) (started s x)) (= (started s x) (finished s x))))))
(assert (forall ((s Schedule) (x Action))
  (=> (not (on_host x))
    (and (issued_before_start (issued s x) (started s x)) (takes_time (started s x) (finished s x))))))

; The host reaches all actions in program order.
(assert (forall ((s Schedule) (x Action) (y Action))
  (=> (< (at x) (at y)) (host_program_order (issued s x) (issued s y)))))

; Each queue is in order.
(assert (forall ((s Schedule) (x Action) (y Action))
  (=> (and (not (on_host x)) (not (on_host y)) (= (queue x) (queue y)) (< (at x) (at y)))
    (in_order_queue (finished s x) (started s y)))))

; A wait is for all that its queue was given before.
(assert (forall ((s Schedule) (x Action) (h Action))
  (=> (and (not (on_host x)) (on_host h) (waits h (queue x)) (< (at x) (at h)))
    (host_waits (finished s x) (started s h)))))

; --- words for the lemmas

; In this schedule, x is over before y begins.
(define-fun over ((s Schedule) (x Action) (y Action)) Bool (over_before (finished s x) (started s y)))

; Happens-before: so in every schedule.
(define-fun hb ((x Action) (y Action)) Bool (forall ((s Schedule)) (over s x y)))

; Every access of a happens before every access of b.
(define-fun before ((a Buffer) (b Buffer)) Bool
  (forall ((x Action) (y Action)) (=> (and (touches x a) (touches y b)) (hb x y))))

(define-fun accessed ((b Buffer)) Bool (exists ((x Action)) (touches x b)))
(define-fun host_accessed ((b Buffer)) Bool (exists ((x Action)) (and (touches x b) (on_host x))))
(define-fun device_accessed ((b Buffer)) Bool (exists ((x Action)) (and (touches x b) (not (on_host x)))))

; The buffer lives from ordinal first to ordinal last, both included (-1 and -1: it has no access).
(define-fun lives ((b Buffer) (first Int) (last Int)) Bool
  (forall ((x Action)) (=> (touches x b) (and (<= first (at x)) (<= (at x) last)))))

; At most one queue.
(define-fun one_queue () Bool (forall ((p Queue) (q Queue)) (= p q)))
