package x
import ("testing";"fmt";"math/rand/v2";"os";"strings";"time";"github.com/wasilibs/go-re2")
func rss() string { b,_:=os.ReadFile("/proc/self/status"); for _,l:=range strings.Split(string(b),"\n"){ if strings.HasPrefix(l,"VmRSS"){return l}}; return ""}
func TestX(t *testing.T){
 buf:=make([]byte,1<<20); for i:=range buf{buf[i]="ab"[rand.IntN(2)]; if i%100==99 {buf[i]='\n'}}
 for i:=range 60 { re:=re2.MustCompile(fmt.Sprintf(`(?m:[ab]*a[ab]{%d}c)`,18+i%40)); st:=time.Now(); n:=0; for k:=0;k<20;k++{ n+=len(re.FindAllIndex(buf,-1))}; if i%5==0 {fmt.Println(i,n,time.Since(st),rss())}}
}
