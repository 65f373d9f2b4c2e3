; Without exclusion a race exists on one queue: the host stores to memory that a queued action has yet to read.
;
; The program: produce (device, writes a), consume (device, reads a), store (host, writes b). The lives of a and b are
; disjoint in program order. Yet in some schedule the store lands between produce and consume.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules

(declare-const produce Action)
(declare-const consume Action)
(declare-const store Action)
(declare-const a Buffer)
(declare-const b Buffer)
(assert (forall ((x Action)) (or (= x produce) (= x consume) (= x store))))
(assert (forall ((x Action) (c Buffer)) (= (touches x c) (= c (ite (= x store) b a)))))
(assert (and (= (at produce) 0) (= (at consume) 1) (= (at store) 2)))
(assert (and (not (on_host produce)) (not (on_host consume)) (on_host store)))
(assert (distinct a b))
(assert one_queue)
(assert (program_order true 0 1 2 2))
; left out: (assert (host_exclusive true (host_accessed a) (device_accessed a) (host_accessed b) (device_accessed b)))
; left out: (assert (waits store (queue consume)))

; The race, and its times.
(declare-const s Schedule)
(assert (and (over s produce store) (over s store consume)))
(declare-const issue_produce Int)
(assert (= issue_produce (issued s produce)))
(declare-const start_produce Int)
(assert (= start_produce (started s produce)))
(declare-const finish_produce Int)
(assert (= finish_produce (finished s produce)))
(declare-const issue_consume Int)
(assert (= issue_consume (issued s consume)))
(declare-const start_consume Int)
(assert (= start_consume (started s consume)))
(declare-const finish_consume Int)
(assert (= finish_consume (finished s consume)))
(declare-const host_store Int)
(assert (= host_store (started s store)))
(check-sat)
