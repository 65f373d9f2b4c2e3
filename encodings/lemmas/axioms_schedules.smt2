; Schedules of the program, any of them, and happens-before. Needs order and axioms_program.
;
; A model has some of the program's schedules, at least one. A lemma that holds for whatever schedules there are holds
; for all of them together, which is what happens-before speaks of.

(declare-sort Schedule 0)
(declare-fun issued (Schedule Action) Int)
(declare-fun started (Schedule Action) Int)
(declare-fun finished (Schedule Action) Int)
(assert (forall ((s Schedule) (x Action)) (keeps_own x (issued s x) (started s x) (finished s x))))
(assert (forall ((s Schedule) (x Action) (y Action))
  (keeps_order x y (issued s x) (finished s x) (issued s y) (started s y))))

; In this schedule, x is over before y begins.
(define-fun over ((s Schedule) (x Action) (y Action)) Bool (over_before (finished s x) (started s y)))

; Happens-before: so in every schedule.
(define-fun hb ((x Action) (y Action)) Bool (forall ((s Schedule)) (over s x y)))

; Every access of a happens before every access of b.
(define-fun before ((a Buffer) (b Buffer)) Bool
  (forall ((x Action) (y Action)) (=> (and (touches x a) (touches y b)) (hb x y))))
