import subprocess, sys, pytest
pytestmark=[pytest.mark.forked]
def test_it():
    for args in (['up','single_robot','--duration','0.1'],['up','leader_follower','--duration','0.1']):
        subprocess.run([sys.executable,'-m','sbot.cli',*args],capture_output=True,text=True)
