; Not a lemma: the axioms of plans hold for three buffers in two slots, one of which is shared.
;
; Sizes 8, 4, 16; the first two share slot 0.
(set-info :smt-lib-version 2.6)
(set-info :status sat)
(set-logic UFLIA)
; needs: sharing slots_pairwise lemmas/axioms_layout

(declare-const a Buffer)
(declare-const b Buffer)
(declare-const c Buffer)
(declare-const cost_bytes Int)
(assert (distinct a b c))
(assert (forall ((d Buffer)) (or (= d a) (= d b) (= d c))))
(assert (and (= (size a) 8) (= (size b) 4) (= (size c) 16)))
(assert (and (= slots 2) (= (slot a) 0) (= (slot b) 0) (= (slot c) 1) (= (room 0) 8) (= (room 1) 16)))
(assert (= cost_bytes cost))
(assert (and (may_share a b) (may_share b a) (not (may_share a c))))
(assert (forall ((d Buffer) (e Buffer)) (=> (and (distinct d e) (co_located (slot d) (slot e))) (may_share d e))))
; left out: (assert (not (= cost_bytes 24)))
(check-sat)
