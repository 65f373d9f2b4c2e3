; Host-accessed buffers must not share among themselves either: store to one, read by the device, store to the other.
;
; A weaker rule, "a host-accessed buffer shares with host-accessed buffers only", lets this through: store_a (host,
; writes a), read_a (device), store_b (host, writes b). Lives are disjoint in program order, both buffers are
; host-accessed, and in some schedule the second store lands before the read.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic UFLIA)
; needs: order sharing lemmas/axioms_program lemmas/axioms_schedules

(declare-const store_a Action)
(declare-const read_a Action)
(declare-const store_b Action)
(declare-const a Buffer)
(declare-const b Buffer)
(assert (forall ((x Action)) (or (= x store_a) (= x read_a) (= x store_b))))
(assert (forall ((x Action) (c Buffer)) (= (touches x c) (= c (ite (= x store_b) b a)))))
(assert (and (= (at store_a) 0) (= (at read_a) 1) (= (at store_b) 2)))
(assert (and (on_host store_a) (not (on_host read_a)) (on_host store_b)))
(assert (distinct a b))
(assert one_queue)
(assert (program_order true 0 1 2 2))
(assert (= (host_accessed a) (host_accessed b)))
; left out: (assert (apart_from_all (host_accessed a) (host_accessed b)))
; left out: (assert (waits store_b (queue read_a)))

; The race, and its times.
(declare-const s Schedule)
(assert (and (over s store_a store_b) (over s store_b read_a)))
(declare-const host_store_a Int)
(assert (= host_store_a (started s store_a)))
(declare-const issue_read_a Int)
(assert (= issue_read_a (issued s read_a)))
(declare-const start_read_a Int)
(assert (= start_read_a (started s read_a)))
(declare-const finish_read_a Int)
(assert (= finish_read_a (finished s read_a)))
(declare-const host_store_b Int)
(assert (= host_store_b (started s store_b)))
(check-sat)
