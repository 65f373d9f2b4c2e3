; With two queues exclusion is not enough: the other queue writes memory that the first has yet to read.
;
; The program: produce and consume (queue p; write and read a), other (queue r, writes b). The host touches neither,
; and the lives of a and b are disjoint in program order. Yet in some schedule `other` runs between produce and
; consume.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules

(declare-const produce Action)
(declare-const consume Action)
(declare-const other Action)
(declare-const a Buffer)
(declare-const b Buffer)
(declare-const p Queue)
(declare-const r Queue)
(assert (forall ((x Action)) (or (= x produce) (= x consume) (= x other))))
(assert (forall ((x Action) (c Buffer)) (= (touches x c) (= c (ite (= x other) b a)))))
(assert (and (= (at produce) 0) (= (at consume) 1) (= (at other) 2)))
(assert (and (= (queue produce) p) (= (queue consume) p) (= (queue other) r)))
(assert (distinct a b))
(assert (program_order true 0 1 2 2))
(assert (host_exclusive true (host_accessed a) (device_accessed a) (host_accessed b) (device_accessed b)))
; left out: (assert (= p r))
; left out: (assert (signals consume other))

; The race, and its times.
(declare-const s Schedule)
(assert (and (over s produce other) (over s other consume)))
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
(declare-const issue_other Int)
(assert (= issue_other (issued s other)))
(declare-const start_other Int)
(assert (= start_other (started s other)))
(declare-const finish_other Int)
(assert (= finish_other (finished s other)))
(check-sat)
