package prompt_test
import ("testing";"strings";"runtime";"time";"fmt";"slices")
func TestZZ(b *testing.T){
 docs := prose(1000)
 perm := make([]string, len(docs))
 for i := range docs { if i%2==0 { perm[i/2]=docs[i].text } else { perm[999-i/2]=docs[i].text } }
 type F struct { n string; f func() }
 fs := []F{{"join", func() { joinedText = strings.Join(perm, "\n\n") }},{"joinlong", func() { joinedText = strings.Join(perm, "\n\n[123] ") }}}
 for _, f := range formats { fs = append(fs, F{string(f), render(b, f, docs)}) }
 rs := make([][]float64, len(fs))
 per := func(f func()) float64 { f();f();f();f(); f(); st := time.Now(); for range 40 { f() }; return float64(time.Since(st))/40 }
 for range 80 { for k := range fs { rs[k]=append(rs[k], per(fs[k].f)) } }
 for k := range fs { slices.Sort(rs[k]); fmt.Printf("Z %-10s %.0fus %.0fus\n", fs[k].n, rs[k][8]/1000, rs[k][40]/1000) }
 runtime.KeepAlive(docs)
}
