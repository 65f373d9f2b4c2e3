(* Reads programs and plans as text, and prints what the extracted checker says of each.

   One statement a line; numbers are decimal, of any size; buffers, pools and slots are numbered from 0 as they come.

     buffer SIZE ALIGNMENT SPACE [external] [live_out] [pinned]    SIZE: bytes, or ?KEY if known only at run time
     action ORDINAL QUEUE [read B LO HI] ... [write B LO HI] ... [wait QUEUE] ...
                                                                   QUEUE: a number, or host; HI: a number, or end
     slots                                                         a slot plan follows:
     slot SIZE ALIGNMENT SPACE B ...                               SIZE: bytes, or ? if known only at run time
     arena                                                         an arena plan follows:
     pool SIZE ALIGNMENT SPACE
     home B POOL OFFSET
     clique THRESHOLD B ...                                        evidence for a bound, by rising thresholds
     part SCALE BOUND B ...                                        the same with multipliers, part by part:
     level THRESHOLD B ...                                         a threshold clique of the part, by rising thresholds
     weight BYTES NUMERATOR B ...                                  a clique with its multiplier (NUMERATOR / SCALE)
     check                                                         print the answer; the program stays, the plan goes
     program                                                       forget the program too

   An answer is a line: reject, or accept COST, or with evidence accept COST BOUND, where BOUND is - if it shows
   nothing.  (A slot plan takes cliques or parts, an arena one clique.)  A line that cannot be read ends the run:
   "line N: what", exit status 2. *)

open Checker

exception Bad of string

let ten = N.add (Npos XH) (Npos (XI (XO (XO XH))))

let digit = Array.make 10 N0
let () = for d = 1 to 9 do digit.(d) <- N.add digit.(d - 1) (Npos XH) done

let number text =
  if text = "" then raise (Bad "a number is missing");
  String.fold_left
    (fun n c ->
      if c < '0' || c > '9' then raise (Bad (text ^ " is not a number"));
      N.add (N.mul n ten) digit.(Char.code c - Char.code '0'))
    N0 text

let rec written n =
  let more, last = N.div_eucl n ten in
  let rec place d = if digit.(d) = last then d else place (d + 1) in
  (if more = N0 then "" else written more) ^ string_of_int (place 0)

let rest text = String.sub text 1 (String.length text - 1)

(* --- the program --- *)

let buffer_of size alignment space flags =
  List.iter (fun f -> if not (List.mem f [ "external"; "live_out"; "pinned" ]) then raise (Bad ("no flag " ^ f))) flags;
  let size = if size <> "" && size.[0] = '?' then RunTime (number (rest size)) else Bytes (number size) in
  let has flag = List.mem flag flags in
  { size; alignment = number alignment; space = number space; external0 = has "external"; live_out = has "live_out";
    pinned = has "pinned" }

let rec with_accesses action = function
  | [] -> { action with reads = List.rev action.reads; writes = List.rev action.writes }
  | "wait" :: q :: more -> with_accesses { action with waits = number q :: action.waits } more
  | ("read" | "write") as kind :: b :: lo :: hi :: more ->
      let access = { buf = number b; lo = number lo; hi = (if hi = "end" then None else Some (number hi)) } in
      let action =
        if kind = "read" then { action with reads = access :: action.reads }
        else { action with writes = access :: action.writes }
      in
      with_accesses action more
  | word :: _ -> raise (Bad ("what is " ^ word ^ "?"))

let action_of ordinal engine words =
  let on = if engine = "host" then Host else Queue (number engine) in
  with_accesses { ordinal = number ordinal; on; reads = []; writes = []; waits = [] } words

(* --- the plan, and the answer --- *)

type plan = Nothing | InSlots of slot list | InArena of pool list * (n * (n * n)) list

let program = ref { buffers = []; actions = [] }   (* both in reverse *)
let plan = ref Nothing
let cliques = ref []   (* these in reverse too *)
let parts = ref []

let answer ok cost bound =
  if not ok then "reject"
  else
    "accept " ^ written cost
    ^ match bound with None -> "" | Some None -> " -" | Some (Some n) -> " " ^ written n

let in_order (part, bound) = ({ part with weights = List.rev part.weights; levels = List.rev part.levels }, bound)

let judged () =
  let p = { buffers = List.rev !program.buffers; actions = List.rev !program.actions } in
  let found = List.rev !cliques in
  match !plan with
  | Nothing -> raise (Bad "check without a plan")
  | InSlots reversed ->
      let slots = List.rev reversed in
      let bound =
        match (found, !parts) with
        | [], [] -> None
        | _, [] -> Some (slots_bound p found)
        | [], reversed ->
            let certificate = List.rev_map in_order reversed in
            let total = List.fold_left (fun n (_, bound) -> N.add n bound) N0 certificate in
            Some (if check_certificate p certificate then Some total else None)
        | _, _ -> raise (Bad "cliques and parts")
      in
      answer (check_slots p slots) (slots_cost slots) bound
  | InArena (reversed, homes) ->
      let home b = List.assoc_opt b homes in
      let number_of i = number (string_of_int i) in
      let arena = { pools = List.rev reversed; homes = List.mapi (fun i _ -> home (number_of i)) p.buffers } in
      let bound = match found with [] -> None | [ c ] -> Some (arena_bound p c) | _ -> raise (Bad "many cliques") in
      answer (check_arena p arena) (arena_cost arena) bound

let in_last_part change =
  match !parts with
  | [] -> raise (Bad "no part begins before this")
  | (part, bound) :: others -> parts := (change part, bound) :: others

let statement words =
  match (words, !plan) with
  | "buffer" :: size :: alignment :: space :: flags, Nothing ->
      program := { !program with buffers = buffer_of size alignment space flags :: !program.buffers }
  | "action" :: ordinal :: engine :: more, Nothing ->
      program := { !program with actions = action_of ordinal engine more :: !program.actions }
  | [ "slots" ], Nothing -> plan := InSlots []
  | [ "arena" ], Nothing -> plan := InArena ([], [])
  | "slot" :: size :: alignment :: space :: members, InSlots slots ->
      let room = if size = "?" then None else Some (number size) in
      let slot =
        { room; slot_alignment = number alignment; slot_space = number space; members = List.map number members }
      in
      plan := InSlots (slot :: slots)
  | [ "pool"; size; alignment; space ], InArena (pools, homes) ->
      let pool = { pool_bytes = number size; pool_alignment = number alignment; pool_space = number space } in
      plan := InArena (pool :: pools, homes)
  | [ "home"; b; pool; offset ], InArena (pools, homes) ->
      if List.mem_assoc (number b) homes then raise (Bad ("buffer " ^ b ^ " has two homes"));
      plan := InArena (pools, (number b, (number pool, number offset)) :: homes)
  | "clique" :: threshold :: members, (InSlots _ | InArena _) ->
      cliques := { threshold = number threshold; clique_members = List.map number members } :: !cliques
  | "part" :: scale :: bound :: members, InSlots _ ->
      let part = { part = List.map number members; scale = number scale; weights = []; levels = [] } in
      parts := (part, number bound) :: !parts
  | "level" :: threshold :: members, InSlots _ ->
      let level = { threshold = number threshold; clique_members = List.map number members } in
      in_last_part (fun part -> { part with levels = level :: part.levels })
  | "weight" :: bytes :: weight :: members, InSlots _ ->
      let weighted =
        { slot_bytes = number bytes; weight = number weight; weighted_members = List.map number members }
      in
      in_last_part (fun part -> { part with weights = weighted :: part.weights })
  | [ "check" ], _ ->
      print_endline (judged ());
      plan := Nothing;
      cliques := [];
      parts := []
  | [ "program" ], _ ->
      program := { buffers = []; actions = [] };
      plan := Nothing;
      cliques := [];
      parts := []
  | [], _ -> ()
  | word :: _, _ -> raise (Bad (word ^ " does not belong here, or lacks something"))

let () =
  let line = ref 0 in
  try
    while true do
      let text = input_line stdin in
      incr line;
      statement (List.filter (fun word -> word <> "") (String.split_on_char ' ' text))
    done
  with
  | End_of_file -> ()
  | Bad what ->
      Printf.eprintf "line %d: %s\n" !line what;
      exit 2
