; Not a lemma: the facts on clocks hold in a program with two buffers of the device and one of the host.
;
; first (device, writes a), second (device, writes b), store (host, writes c), on one queue, without waits. By the clocks a is
; before b and nothing else is before anything.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic UFLIA)
; needs: order sharing axioms_machine axioms_clocks

(declare-const first Action)
(declare-const second Action)
(declare-const store Action)
(declare-const a Buffer)
(declare-const b Buffer)
(declare-const c Buffer)
(assert (forall ((x Action)) (or (= x first) (= x second) (= x store))))
(assert (and (= (at first) 0) (= (at second) 1) (= (at store) 2)))
(assert (forall ((x Action)) (= (on_host x) (= x store))))
(assert (distinct a b c))
(assert (forall ((d Buffer)) (or (= d a) (= d b) (= d c))))
(assert (forall ((x Action) (d Buffer)) (= (touches x d) (= d (ite (= x first) a (ite (= x second) b c))))))
(assert one_queue)
(assert (and (clocks_before a b) (not (clocks_before b a)) (not (clocks_before a c)) (not (clocks_before c a))))
; left out: (assert (not (= (seen_on b (queue first)) 0)))
(check-sat)
